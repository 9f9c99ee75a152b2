# Built with: docker build --build-arg VERSION=0.1.0 --build-arg REVISION=$(git rev-parse HEAD) .
# Without a container engine, `npm run image` carries out the same lines into a folder and starts the
# result as a container would.

# Node 24 with npm, on glibc. A release names it by digest: --build-arg NODE_IMAGE=node@sha256:...
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
# The time of every file in the image, in seconds: the same source gives the same bytes.
ARG SOURCE_DATE_EPOCH=0
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json LICENSE ./
COPY config ./config
COPY lib ./lib
COPY streams ./streams
COPY scripts/build.mjs ./scripts/build.mjs
COPY scripts/image/assemble.mjs ./scripts/image/assemble.mjs
RUN npm run build
RUN node scripts/image/assemble.mjs rootfs

# Nothing but Node, the libraries it loads and one bundle: no shell, no package manager.
FROM scratch
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG SOURCE_URL=unknown
LABEL org.opencontainers.image.title="svc-pipelines-controller" \
      org.opencontainers.image.description="Tells what happened to TaskRuns, PipelineRuns and CustomRuns." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE_URL}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      dev.svc.image.sbom="/usr/share/doc/svc-pipelines-controller/sbom.cdx.json"
COPY --from=build /src/rootfs/ /
ENV NODE_ENV=production
WORKDIR /app
# By number, so that runAsNonRoot can be checked.
USER 65532:65532
EXPOSE 8008 8080 9090
ENTRYPOINT ["/usr/bin/node", "/app/controller.mjs"]
