import Foundation
import Testing

/// Searches the sources for comparisons of secrets by `==` and similar operations. The search goes by names, so it is a
/// heuristic and not a proof.
@Suite("Pitfall 5: comparisons of secrets in the sources")
struct SecretComparisonTests {
    /// Lines that compare a value of such a name that is not a secret, with the reason.
    private static let allowed = [
        // The long token of the test users is printed in this repository.
        "backend: backend, key: bare == Self.longToken ? TestUser.longJSONName : String(bare.reversed()),",
        // The names of elements and fields.
        "let sent = exchange.probe.call == .signIn ? [] : exchange.probe.fields.filter { $0.name == \"token\" }",
        "let element = name == Self.dovetailResponse ? child(Self.dovetailToken) : name == \"token\" ? self : nil",
        // The digests of files that a publisher provides, of their source and of their column layout. None is a target
        // for guessing.
        "last.summary.layout == plan.layoutDigest",
        "func fits(_ plan: FeedPlan) -> Bool { version == FeedSummary.version && layout == plan.layoutDigest }",
        "let same = usable.flatMap { $0.summary.source == plan.source.digest ? $0.summary : nil }",
        "if let same, same.digest == fetched.digest { return .unchanged }",
        "return summary?.layout == plan.layoutDigest ? summary : nil",
        "guard layout == plan.layoutDigest else { throw .malformed(\"it was loaded under other settings\") }",
        // Two stored hashes of one subscriber, to detect a changed password. Neither was typed by a reader.
        "if isRegistered, storedHash == nil || storedHash != row.passwordHash {",
        // The own account's token as its issuer returned it. It is compared with itself to detect a replacement.
        "if let other = state.token, other != token { return (other, false) }",
        "return next == token ? nil : next",
        "if session.accessToken != rejected { return session.accessToken }",
    ]

    /// Substrings of every comparison. They filter the lines before the regular expressions, which are slow.
    private static let signs = ["==", "!=", "elementsEqual", "starts", "hasPrefix", "compare"]

    private static func isSuspicious(_ code: String) -> Bool {
        guard signs.contains(where: { code.contains($0) }), !code.hasPrefix("//") else { return false }
        return code.matches(of: /([^\s,{}&|:]+)\s+(?:==|!=)\s+([^\s,{}&|:]+)/).contains { match in
            let operands = [String(match.1), String(match.2)]
            return operands.contains(where: isSecret) && !operands.contains(where: isHarmless)
        }
            || code.matches(of: /([\w.]+)\.(?:elementsEqual|starts|hasPrefix|compare)\((?:with:)?\s*([\w.]+)/).contains
            {
                isSecret(String($0.1)) || isSecret(String($0.2))
            }
    }

    /// Returns a Boolean value that indicates whether the last word of the operand is a common name of a secret.
    private static func isSecret(_ operand: String) -> Bool {
        var words = operand.lowercased().split { !$0.isLetter }
        while let last = words.last, ["bytes", "utf", "rawvalue", "description", "data"].contains(last) {
            words.removeLast()
        }
        let names = ["secret", "password", "digest", "hash", "hmac", "pepper", "signature", "token", "proof", "salt"]
        return words.last.map { word in names.contains { word.hasSuffix($0) } } ?? false
    }

    /// Returns true for nil, a Boolean literal, an enumeration case, a number, or the name of a field or method.
    private static func isHarmless(_ operand: String) -> Bool {
        ["nil", "true", "false", "\"password\"", "\"digest\""].contains { operand.hasPrefix($0) }
            || operand.hasPrefix(".") || operand.first?.isNumber == true
    }

    @Test("The sources compare secrets, passwords and digests in constant time only")
    func sources() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var read = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            read += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let line = line.trimmingCharacters(in: .whitespaces)
                guard Self.isSuspicious(line), !Self.allowed.contains(line) else { continue }
                Issue.record("\(file.lastPathComponent): \(line)")
            }
        }
        #expect(read > 100)
    }

    @Test(
        "The heuristic finds comparisons of secrets",
        arguments: [
            "if password == expected {", "guard stored.passwordHash != hash else {", "$0.secret.bytes == other",
            "return Self.digest(password) == digest", "token == \"x\"", "secret.bytes.elementsEqual(other)",
            "expected.starts(with: password)",
        ])
    func finds(line: String) {
        #expect(Self.isSuspicious(line))
    }

    @Test(
        "The heuristic passes harmless comparisons",
        arguments: [
            "guard hash != nil else {", "digest == 43", "digest == .sha256", "password.count == length",
            "// password == expected", "count == 3",
            "columns.has(.password) == true ? 1 : 2",
        ])
    func passes(line: String) {
        #expect(!Self.isSuspicious(line))
    }
}
