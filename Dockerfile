# The server, for `docker build -t rankcast .`; README.md says how to run it.
# Debian, not Alpine: uWebSockets.js is native code for glibc.

FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json vite.config.ts ./
COPY proto ./proto
COPY src ./src
RUN npm run build

FROM node:20-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

FROM node:20-bookworm-slim
# The first process passes signals on and reaps children, which node does not.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY proto ./proto
COPY package.json LICENSE README.md CHANGELOG.md ./
# Only the embedded PostgreSQL writes here; with RANKCAST_DATABASE_URL the folder stays empty.
RUN install --directory --owner=node --group=node /data
ENV NODE_ENV=production \
    RANKCAST_DATA_DIR=/data/postgres
USER node
VOLUME /data
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
# The slim image has no curl.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.RANKCAST_ADMIN_PORT || 9464) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The flags of src/main.ts, which says why.
ENTRYPOINT ["tini", "--", "node", "--min-semi-space-size=32", "--max-semi-space-size=32", "dist/src/main.js"]
CMD ["serve"]
