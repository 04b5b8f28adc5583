// SPDX-License-Identifier: Apache-2.0

import APIExamples
import Testing

/// The numbered examples, over a scripted transport.
struct SeedExampleTests {
    private func run(_ number: String) async throws {
        let example = try #require(SeedExample.numbered(number))
        try await example.run(.scripted())
    }

    @Test func `S3.1 a query parameter with another name`() async throws { try await run("S3.1") }
    @Test func `S3.2 fields in, a tuple out`() async throws { try await run("S3.2") }
    @Test func `S3.3 a path parameter`() async throws { try await run("S3.3") }
    @Test func `S3.4 a stream of events after a POST`() async throws { try await run("S3.4") }
    @Test func `S3.5 a provider from a base URL`() async throws { try await run("S3.5") }
    @Test func `S3.6 GET`() async throws { try await run("S3.6") }
    @Test func `S3.7 POST`() async throws { try await run("S3.7") }
    @Test func `S3.8 PUT with a path parameter and a body`() async throws { try await run("S3.8") }
    @Test func `S3.9 PATCH with mixed values`() async throws { try await run("S3.9") }
    @Test func `S3.10 DELETE waits for the status`() async throws { try await run("S3.10") }
    @Test func `S3.11 OPTIONS`() async throws { try await run("S3.11") }
    @Test func `S3.12 HEAD gives the fields`() async throws { try await run("S3.12") }
    @Test func `S3.13 a placeholder with the parameter's name`() async throws { try await run("S3.13") }
    @Test func `S3.14 a placeholder named by @Path`() async throws { try await run("S3.14") }
    @Test func `S3.15 a placeholder with another name`() async throws { try await run("S3.15") }
    @Test func `S3.16 an encoded path value`() async throws { try await run("S3.16") }
    @Test func `S3.17 an encoded path value with another name`() async throws { try await run("S3.17") }
    @Test func `S3.18 a query parameter, encoded once`() async throws { try await run("S3.18") }
    @Test func `S3.19 path and query`() async throws { try await run("S3.19") }
    @Test func `S3.20 a dictionary as query items`() async throws { try await run("S3.20") }
    @Test func `S3.21 the label names the item`() async throws { try await run("S3.21") }
    @Test func `S3.22 an external label names the item`() async throws { try await run("S3.22") }
    @Test func `S3.23 @Query names the item`() async throws { try await run("S3.23") }
    @Test func `S3.24 an encoded query value`() async throws { try await run("S3.24") }
    @Test func `S3.25 @Query with POST`() async throws { try await run("S3.25") }
    @Test func `S3.26 an unlabelled parameter is the body`() async throws { try await run("S3.26") }
    @Test func `S3.27 a field beside @Query`() async throws { try await run("S3.27") }
    @Test func `S3.28 @Body beside @Query`() async throws { try await run("S3.28") }
    @Test func `S3.29 an object as a field`() async throws { try await run("S3.29") }
    @Test func `S3.30 scalars as fields`() async throws { try await run("S3.30") }
    @Test func `S3.31 @Field names the field`() async throws { try await run("S3.31") }
    @Test func `S3.32 fields as a form`() async throws { try await run("S3.32") }
    @Test func `S3.33 JSON by default`() async throws { try await run("S3.33") }
    @Test func `S3.34 @JSON`() async throws { try await run("S3.34") }
    @Test func `S3.35 @JSON with coders`() async throws { try await run("S3.35") }
    @Test func `S3.36 @FormUrlEncoded`() async throws { try await run("S3.36") }
    @Test func `S3.37 @FormUrlEncoded with names`() async throws { try await run("S3.37") }
    @Test func `S3.38 an object as a form`() async throws { try await run("S3.38") }
    @Test func `S3.39 @Multipart`() async throws { try await run("S3.39") }
    @Test func `S3.40 @Multipart with a file and an object`() async throws { try await run("S3.40") }
    @Test func `S3.41 fixed fields`() async throws { try await run("S3.41") }
    @Test func `S3.42 @Header`() async throws { try await run("S3.42") }
    @Test func `S3.43 @HeaderMap`() async throws { try await run("S3.43") }
    @Test func `S3.44 @ResponseKeyPath`() async throws { try await run("S3.44") }
    @Test func `S3.45 a tuple`() async throws { try await run("S3.45") }
    @Test func `S3.46 tuples in a tuple`() async throws { try await run("S3.46") }
    @Test func `S3.47 an AsyncStream of events`() async throws { try await run("S3.47") }
    @Test func `S3.48 an AsyncThrowingStream of events`() async throws { try await run("S3.48") }
    @Test func `S3.49 leaving the loop`() async throws { try await run("S3.49") }
    @Test func `S3.50 the rules of inference`() async throws { try await run("S3.50") }
    @Test func `S3.51 global interceptors`() async throws { try await run("S3.51") }

    @Test func thereAreNoOthers() {
        #expect(SeedExample.all.map(\.number) == (1...51).map { "S3.\($0)" })
    }
}
