import Foundation
import Testing

/// Reads the sources for comparisons of secrets by `==` and its like. A rule of thumb, not a proof: it goes by names.
@Suite("Pitfall 5: comparisons in the sources")
struct SecretComparisonTests {
    /// Lines that compare something of such a name which is no secret, with the reason.
    private static let allowed = [
        // The test users' one long token is printed in this repository.
        "backend: backend, key: bare == Self.longToken ? TestUser.longJSONName : String(bare.reversed()),",
        // The names of elements and fields.
        "let sent = exchange.probe.call == .signIn ? [] : exchange.probe.fields.filter { $0.name == \"token\" }",
        "let element = name == Self.dovetailAnswer ? child(Self.dovetailToken) : name == \"token\" ? self : nil",
        // The digests of files that a publisher puts out, of where they come from, and of the columns read from them:
        // nobody guesses at these.
        "last.summary.layout == plan.layoutDigest",
        "func fits(_ plan: FeedPlan) -> Bool { version == FeedSummary.version && layout == plan.layoutDigest }",
        "let same = usable.flatMap { $0.summary.source == plan.source.digest ? $0.summary : nil }",
        "if let same, same.digest == fetched.digest { return .unchanged }",
        "return summary?.layout == plan.layoutDigest ? summary : nil",
        // Our own account's token, as its issuer gave it: compared with itself, to see whether it was replaced meanwhile.
        "if let other = state.token, other != token { return (other, false) }",
        "return next == token ? nil : next",
        "if session.accessToken != refused { return session.accessToken }",
    ]

    /// What any comparison has: most lines need not be given to the expressions, which are slow.
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

    /// Whether the operand's last word is one of those that secrets are called by.
    private static func isSecret(_ operand: String) -> Bool {
        var words = operand.lowercased().split { !$0.isLetter }
        while let last = words.last, ["bytes", "utf", "rawvalue", "description", "data"].contains(last) {
            words.removeLast()
        }
        let names = ["secret", "password", "digest", "hash", "hmac", "pepper", "signature", "token", "proof", "salt"]
        return words.last.map { word in names.contains { word.hasSuffix($0) } } ?? false
    }

    /// Nothing, a truth value, a case of an enumeration, a number, or the name of a field or method.
    private static func isHarmless(_ operand: String) -> Bool {
        ["nil", "true", "false", "\"password\"", "\"digest\""].contains { operand.hasPrefix($0) }
            || operand.hasPrefix(".") || operand.first?.isNumber == true
    }

    @Test("No secret, password or digest is compared but in constant time")
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
        "The rule finds what it is for",
        arguments: [
            "if password == expected {", "guard stored.passwordHash != hash else {", "$0.secret.bytes == other",
            "return Self.digest(password) == digest", "token == \"x\"", "secret.bytes.elementsEqual(other)",
            "expected.starts(with: password)",
        ])
    func finds(line: String) {
        #expect(Self.isSuspicious(line))
    }

    @Test(
        "The rule lets pass what is none",
        arguments: [
            "guard hash != nil else {", "digest == 43", "digest == .sha256", "password.count == length",
            "// password == expected", "count == 3",
            "columns.has(.password) == true ? 1 : 2",
        ])
    func passes(line: String) {
        #expect(!Self.isSuspicious(line))
    }
}
