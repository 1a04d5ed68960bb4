import Foundation
import Settings
import SharedLibraries
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Guide to passwords") struct PasswordsGuideTests {
    private var guide: String {
        get throws {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/PasswordHashing/PasswordHashing.docc/Passwords.md")
                .standardizedFileURL
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    @Test("The guide's settings are readable, and it names every scheme")
    func settings() throws {
        let guide = try guide
        let blocks = guide.components(separatedBy: "```yaml\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count == 6)
        for block in blocks {
            let section = try YAMLSettings.read(text: block, name: "Passwords.md", folder: "/")
            _ = try ProofRule(try section.section("proof"))
        }
        for scheme in SchemeName.allCases { #expect(guide.contains("`\(scheme.rawValue)`"), "\(scheme)") }
    }

    @Test("The guide's templates are valid, and its error texts are exact")
    func words() throws {
        let guide = try guide
        for template in [
            "sha1({secret}{salt}{password})", "md5({password}{salt})",
            "base64(sha1(unbase64({salt})utf16({password})))",
            "md5(md5({salt})md5({password}))",
        ] {
            #expect(guide.contains("`\(template)`"))
            _ = try PasswordTemplate(template, secret: "k")
        }
        for error in [
            PasswordError.unreadableHash, .tooCostly, .methodMissing, .queueFull, .pepperMissing,
            .libraryMissing(.missing(library: "libargon2.so.1", package: "libargon2-1")),
        ] {
            #expect(guide.contains("`\(error.cause)`"), "\(error.cause)")
        }
    }
}
