# An image that holds the program and nothing else. The files come from `TARGET=x86_64-unknown-linux-musl tools/dist.sh`, or from
# aarch64-unknown-linux-musl: no shell, no library. Certificate authorities are compiled in.
FROM scratch
ARG TARGETARCH
COPY target/release-files/image/${TARGETARCH}/ /
# Nobody: the program needs no right, and writes to /tmp alone.
USER 65532:65532
EXPOSE 3000
ENTRYPOINT ["/usr/bin/polywire"]
