import Testing

@Suite("Report in the documentation")
struct DocumentedReportsTests {
    private static let report = """
        http://127.0.0.1:40123/test, 125 requests in 3 s

        cache
          ok      cache-success     Responses to successful calls forbid caching
          FAILED  cache-cookies     No response sets a cookie
                    • the response has Set-Cookie
                        GET /test/no-such-call-0123456789ab: HTTP 404, 9 bytes
                    why  A cache between app and server stores a response and serves it to the next
                         client. (Pitfall 16)
          –       cache-hit         No response comes from a cache (skipped: why)

        document
          ok      document-type     Documents have an XML media type

        86 rules: 70 passed, 1 failed, 0 warning, 15 skipped

        """

    @Test("is shortened to the broken rules and the sum")
    func shortened() {
        let expected = """
            http://127.0.0.1:8080/test, 125 requests in 1 s

            cache
              FAILED  cache-cookies     No response sets a cookie
                        • the response has Set-Cookie
                            GET /test/no-such-call-38fc15ca3e0a: HTTP 404, 9 bytes
                        why  A cache between app and server stores a response and serves it to the next
                             client. (Pitfall 16)

            86 rules: 70 passed, 1 failed, 0 warning, 15 skipped

            """
        #expect(DocumentedReports.shortened(DocumentedReports.normalised(Self.report, port: 40_123)) == expected)
    }
}
