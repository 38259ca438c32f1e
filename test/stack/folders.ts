/** Where the stack keeps its files: below the checkout, outside of git. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const rootDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export const stackDir = path.join(rootDir, '.rankcast', 'stack');
export const kafkaLibsDir = path.join(rootDir, '.rankcast', 'kafka-libs');
