# syntax=docker/dockerfile:1

# The echo server of the integration tests, without anything of the SDK.
#
#   docker build -t strata-echo . && docker run --rm -p 127.0.0.1:8080:8080 strata-echo
#
# ECHO_TLS=1 and ECHO_HTTP2=1 switch TLS and HTTP/2 on; so do `true` and `yes`, and nothing else does.

FROM swift:6.2-noble AS build
WORKDIR /package
# Dependencies first: a change of the sources does not fetch them again.
COPY Package.swift ./
RUN swift package resolve
# The package manager wants the folder of every target in the manifest, whether it is built or not.
COPY Sources Sources
COPY Tests Tests
COPY IntegrationTests IntegrationTests
RUN swift build --configuration release --product echo-server \
    && install -D "$(swift build --configuration release --show-bin-path)/echo-server" /staging/echo-server

FROM swift:6.2-noble-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --no-create-home --uid 10001 echo
COPY --from=build /staging/echo-server /usr/local/bin/echo-server
USER echo
ENV ECHO_HOST=0.0.0.0 ECHO_PORT=8080
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=5 \
    CMD on() { printf %s "$1" | grep -qixE '1|true|yes' && echo "$2"; }; \
        curl --fail --silent --show-error --output /dev/null --insecure $(on "$ECHO_HTTP2" --http2-prior-knowledge) \
        "http$(on "$ECHO_TLS" s)://127.0.0.1:${ECHO_PORT}/healthz"
ENTRYPOINT ["/usr/local/bin/echo-server"]
