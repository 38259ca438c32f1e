import { cpSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Builds the pages, and copies what the compiler leaves behind (Lua scripts, SQL migrations) beside the compiled code. */
export default defineConfig({
  root: 'src/pages',
  base: './',
  build: { outDir: '../../dist/pages', emptyOutDir: true, target: 'es2022' },
  plugins: [
    {
      name: 'copy-scripts',
      closeBundle() {
        for (const folder of ['src/ranking/lua', 'src/truth/migrations']) {
          cpSync(new URL(`./${folder}`, import.meta.url), new URL(`./dist/${folder}`, import.meta.url), {
            recursive: true,
          });
        }
      },
    },
  ],
});
