import Testing

@Suite("A shown report")
struct ShownReportsTests {
    private static let report = """
        http://127.0.0.1:40123/test, 125 requests in 3 s

        cache
          ok      cache-success     Answers to good calls say no-cache
          FAILED  cache-cookies     No answer sets a cookie
                    • the answer has Set-Cookie
                        GET /test/no-such-call-0123456789ab: HTTP 404, 9 bytes
                    why  A cache between app and server keeps an answer and gives it to the next who
                         asks. (PITFALLS 16)
          –       cache-hit         No answer comes out of a cache (skipped: why)

        document
          ok      document-type     Documents say that they are XML

        86 rules: 70 passed, 1 failed, 0 warning, 15 skipped

        """

    @Test("has what is wrong, and the sum")
    func shortened() {
        let expected = """
            http://127.0.0.1:8080/test, 125 requests in 1 s

            cache
              FAILED  cache-cookies     No answer sets a cookie
                        • the answer has Set-Cookie
                            GET /test/no-such-call-38fc15ca3e0a: HTTP 404, 9 bytes
                        why  A cache between app and server keeps an answer and gives it to the next who
                             asks. (PITFALLS 16)

            86 rules: 70 passed, 1 failed, 0 warning, 15 skipped

            """
        #expect(ShownReports.shortened(ShownReports.normalised(Self.report, port: 40_123)) == expected)
    }
}
