/**
 * The built pages, read once at the start: one route per file that was there, so a path can name nothing else.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { StartRefusedError } from '../domain/errors.js';
import type { HttpResponse, Route } from './http.js';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** Scripts and styles only from files of ours; sockets may go to another server of the same product. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "connect-src 'self' ws: wss:",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Vite names what it bundles `assets/<name>-<hash>.<ext>`. */
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;

/** `a/index.html` answers at `/a/` as well as at its own path. Throws `StartRefusedError` where there is no folder. */
export function staticPages(folder: string): readonly Route[] {
  return listFiles(folder).flatMap((file) => {
    const response = pageResponse(file, readFileSync(join(folder, file)));
    const path = `/${file.split('/').map(encodeURIComponent).join('/')}`;
    const patterns = new Set([path, path.replace(/\/index\.html$/, '/')]);
    return [...patterns].map((pattern): Route => ({ method: 'GET', pattern, handle: async () => response }));
  });
}

/** Relative paths with `/`; links are left out, they could lead elsewhere. */
function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .sort();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartRefusedError(`the pages cannot be read (${why}): build them with npm run build`);
  }
}

function pageResponse(file: string, body: Uint8Array): HttpResponse {
  const isHashed = HASHED.test(file);
  return {
    status: 200,
    headers: {
      'content-type': CONTENT_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream',
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body,
  };
}
