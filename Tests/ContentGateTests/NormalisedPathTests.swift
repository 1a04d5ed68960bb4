import ContentGate
import TestSupport
import Testing

@Suite("Normalised path of a request target")
struct NormalisedPathTests {
    @Test(
        "A plain path is split into its segments",
        arguments: [
            ("/", [], true), ("/content/daily/ed-1/page.html", ["content", "daily", "ed-1", "page.html"], false),
            ("/content/", ["content"], true), ("/a%20b/c", ["a b", "c"], false), ("/%65d-1", ["ed-1"], false),
            ("/a?b/../c", ["a"], false), ("/a?b%2f", ["a"], false), ("/caf%C3%A9", ["caf\u{E9}"], false),
            ("http://example.com/ed-1/x", ["ed-1", "x"], false), ("HTTPS://[::1]:8080/x", ["x"], false),
            ("http://example.com", [], true), ("http://example.com?x", [], true),
            ("/a:b/+c,d", ["a:b", "+c,d"], false),
            ("/...x", ["...x"], false), ("/~a", ["~a"], false), ("/ED-1", ["ED-1"], false),
        ] as [(String, [String], Bool)])
    func accepts(target: String, segments: [String], endsWithSlash: Bool) throws {
        let path = try NormalisedPath(target: target)
        #expect(path.segments == segments)
        #expect(path.endsWithSlash == endsWithSlash)
    }

    @Test(
        "Pitfall 2: a target that another server may read differently is rejected",
        arguments: [
            ("/a/../b", .dotSegment), ("/a/./b", .dotSegment), ("/a/..", .dotSegment), ("/a/%2e%2e/b", .dotSegment),
            ("/a/.%2E/b", .dotSegment), ("/a/%2e", .dotSegment), ("/a/..%2fb", .encodedDelimiter),
            ("/a%2Fb", .encodedDelimiter), ("/a/%252e%252e/b", .encodedDelimiter), ("/a%3fb", .encodedDelimiter),
            ("/a%23b", .encodedDelimiter), ("/a%5cb", .backslash), ("/a\\b", .backslash), ("//a", .emptySegment),
            ("/a//b", .emptySegment), ("/a//", .emptySegment), ("/a;x=1/b", .matrixParameter),
            ("/a%3Bx/b", .matrixParameter), ("/a%00", .controlCharacter), ("/a%0d%0ab", .controlCharacter),
            ("/a\u{1}", .controlCharacter), ("/a%7f", .controlCharacter), ("/a%c2%85", .controlCharacter),
            ("/a%E2%80%8B", .controlCharacter), ("/a%E2%80%AEb", .controlCharacter), ("/a%20", .edgeOfSegment),
            ("/%20a", .edgeOfSegment), ("/a./b", .edgeOfSegment), ("/a...", .edgeOfSegment), ("/a%2e", .edgeOfSegment),
            ("/a%C2%A0", .edgeOfSegment), ("/a b", .illegalByte), ("/caf\u{E9}", .illegalByte),
            ("/%", .malformedEscape),
            ("/%4", .malformedEscape), ("/%zz", .malformedEscape), ("/%u002e", .malformedEscape),
            ("/%c0%ae%c0%ae/b", .invalidUTF8), ("/a%c0%afb", .invalidUTF8), ("/a%ff", .invalidUTF8),
            ("/a%ed%a0%80", .invalidUTF8), ("/cafe%CC%81", .notNormalised), ("/%E2%84%AB", .notNormalised),
            ("/a#b", .fragment), ("/a?b#c", .fragment), ("", .notAPath), ("a/b", .notAPath), ("*", .notAPath),
            ("ftp://x/a", .notAPath), ("http://user@x/a", .notAPath), ("http:///a", .notAPath), ("http:/a", .notAPath),
            ("http://x\\/a", .notAPath), ("?/a", .notAPath), ("http://x//a", .emptySegment),
        ] as [(String, PathRejection)])
    func rejects(target: String, denial: PathRejection) {
        #expect(throws: denial) { try NormalisedPath(target: target) }
    }

    @Test("The length of a path and of a segment is limited")
    func lengths() throws {
        let segment = String(repeating: "a", count: 255)
        let maxLength = String(repeating: "/" + segment, count: 8)
        #expect(maxLength.utf8.count == NormalisedPath.maxLength)
        #expect(try NormalisedPath(target: maxLength + "?" + maxLength).segments.count == 8)
        #expect(throws: PathRejection.tooLong) { try NormalisedPath(target: maxLength + "/") }
        #expect(throws: PathRejection.tooLong) { try NormalisedPath(target: "/a" + segment) }
    }

    @Test("10,000 random targets cause no crash, and an accepted path survives a second normalisation")
    func hostileTargets() async throws {
        var random = SeededRandom(seed: 2)
        var accepted = 0
        for round in 0..<10_000 {
            // Yields to other tests of this process.
            if round.isMultiple(of: 100) { await Task.yield() }
            let target =
                [UInt8(ascii: "/")] + random.hostileBytes(upTo: 12, specialCharacters: "/ab.%2eEfF5cC0;:\\?#: ")
            guard let path = try? NormalisedPath(target: target) else { continue }
            accepted += 1
            let again = try NormalisedPath(target: path.percentEncoded)
            #expect(again == path && again.segments.map { Array($0.utf8) } == path.segments.map { Array($0.utf8) })
            for segment in path.segments {
                #expect(!segment.isEmpty && segment != "." && segment != ".." && !segment.contains("/"))
            }
        }
        #expect(accepted > 100)
    }
}
