# Two commands do everything on a fresh Debian with a Rust toolchain: `make demo` and `make test`.

DEMO := results/demo

.PHONY: demo test build tools bench-method

# Run the early-demux experiment on the embedded lab and leave a report.
demo: build
	@if [ -e $(DEMO) ]; then mv $(DEMO) $(DEMO)-$$(date -r $(DEMO) +%Y%m%d-%H%M%S); fi
	@target/linerate run experiments/early-demux.toml -o $(DEMO)

# Everything, including real packets through network namespaces; what lacks a privilege says so and is skipped.
test: tools
	@cargo test --quiet

# How fine the duet sees on this machine, and the classic protocol beside it: the table in METHODOLOGY.md. About an hour.
bench-method: tools
	@cargo bench --quiet --bench method

# One static binary, target/linerate: it can be copied to another machine and started there.
# A target is named so that the flag stays off build scripts and procedural macros.
build: tools
	@host=$$(rustc -vV | sed -n 's/^host: //p'); \
	RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --quiet --target $$host; \
	ln -f target/$$host/release/linerate target/linerate

# Install the Debian packages that are missing, and say which.
tools:
	@missing=; \
	need() { command -v $$1 >/dev/null 2>&1 || missing="$$missing $$2"; }; \
	PATH=$$PATH:/usr/sbin:/sbin; \
	need cc gcc; need clang clang; need ip iproute2; need nft nftables; need ethtool ethtool; need sysctl procps; \
	need ministat ministat; \
	[ -e /usr/include/linux/bpf.h ] || missing="$$missing linux-libc-dev"; \
	[ -z "$$missing" ] && exit 0; \
	echo "installing Debian packages:$$missing"; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	log=$$(mktemp); \
	{ $$sudo apt-get update && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing; } \
		>$$log 2>&1 || { cat $$log; exit 1; }; \
	rm -f $$log
