# The two commands of the README, and the others that a contributor types. Each sets up what it needs.

.PHONY: demo test test-httpbin test-peers wire cache-conformance bench check check-apple guard-costs format docs fuzz sanitize

demo:            ## the guided tour over each transport, against the embedded echo server
	@scripts/demo

test:            ## unit and integration tests
	@scripts/test

test-httpbin:    ## the integration tests against a real httpbin, installed into .venv
	@scripts/test-httpbin

test-peers:      ## the integration tests against nginx, proxies and httpbin, installed and started natively
	@scripts/test-peers

check:           ## format lint and the tree's own rules
	@scripts/check

format:          ## formats every Swift file
	@scripts/format

docs:            ## the documentation, into .docs
	@scripts/docs

wire:            ## the live vectors (STRATA_VECTORS) against the client over the transports
	@scripts/wire

cache-conformance: ## the cases of http-tests/cache-tests against the client's cache; needs Node.js
	@scripts/cache-conformance

bench:           ## measurements beside C libcurl, AsyncHTTPClient and URLSession
	@scripts/bench

guard-costs:     ## system calls and allocations of a small request, which are exact; on Linux
	@scripts/guard-costs

fuzz:            ## the parsers under libFuzzer and AddressSanitizer
	@scripts/fuzz

sanitize:        ## the light modules' tests, and many calls at once, under ThreadSanitizer; the rules under AddressSanitizer; on Linux
	@scripts/sanitize

check-apple:     ## type-checks the code for Apple's platforms, on Linux against stubs of their modules
	@scripts/check-apple
