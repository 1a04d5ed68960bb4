import Foundation
import Gatefold
import Settings
import Testing

@Suite("Secrets in the configuration")
struct SecretSettingsTests {
    private func read(
        _ text: String, folder: String = "/nowhere", environment: [String: String] = [:]
    ) throws -> SettingsSection {
        try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: folder, environment: environment)
    }

    @Test("come from the environment")
    func fromEnvironment() throws {
        let secret = try read("s: {env: DAILY}", environment: ["DAILY": "Kq7wN2vR8tYx4mZp\n"]).secret("s")
        #expect(secret?.bytes == Array("Kq7wN2vR8tYx4mZp".utf8))
    }

    @Test("come from a file, without the line end an editor adds")
    func fromFile() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatefold-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("Kq7wN2vR8tYx4mZp\r\n".utf8).write(to: folder.appending(path: "daily"))
        let secret = try read("s: {file: daily}", folder: folder.path).secret("s")
        #expect(secret?.bytes == Array("Kq7wN2vR8tYx4mZp".utf8))
    }

    @Test("of other people's systems may be weak, but not empty")
    func foreign() throws {
        let top = try read("s: {env: WEAK}\nt: {env: EMPTY}", environment: ["WEAK": "scott\n", "EMPTY": " \n"])
        #expect(try top.foreignSecret("s") == "scott")
        #expect(throws: SettingsError.self) { try top.foreignSecret("t") }
        #expect(try top.foreignSecret("u") == nil)
    }

    @Test("leave long public texts the choice: as themselves, or where secrets stand")
    func publicTexts() throws {
        let top = try read("s: MIIB\nt: {env: KEY}\nu: {env: NONE}\nv: [1]", environment: ["KEY": "MIIC"])
        #expect(try top.publicText("s") == "MIIB")
        #expect(try top.publicText("t") == "MIIC")
        #expect(throws: SettingsError.self) { try top.publicText("u") }
        #expect(throws: SettingsError.self) { try top.publicText("v") }
        #expect(try top.publicText("w") == nil)
    }

    @Test("that stand in the configuration themselves are called what they are: a certificate is no secret")
    func themselves() throws {
        let top = try read("s: Kq7wN2vR8tYx4mZp")
        let secret = #expect(throws: SettingsError.self) { try top.secret("s") }
        #expect(secret?.description.hasSuffix("expected {file: PATH} or {env: NAME}, not the secret itself") == true)
        let text = #expect(throws: SettingsError.self) { try top.privateText("s") }
        #expect(text?.description.hasSuffix("expected {file: PATH} or {env: NAME}, not the text itself") == true)
    }

    @Test("rotate: the first signs, the rest verify")
    func rings() throws {
        let ring = try read(
            "s: [{env: NEW}, {env: OLD}]", environment: ["NEW": "Kq7wN2vR8tYx4mZp", "OLD": "Lr8xO3wS9uZy5nAq"]
        ).secretRing("s")
        #expect(ring?.current.bytes == Array("Kq7wN2vR8tYx4mZp".utf8))
        #expect(ring?.retired.map(\.bytes) == [Array("Lr8xO3wS9uZy5nAq".utf8)])
    }

    @Test(
        "Pitfall 4: empty, short and sample secrets stop the start",
        arguments: [
            ("", "the secret is empty"), ("   \n", "the secret is empty"),
            ("changeme", "the secret is a well-known sample"), ("8letters", "the secret has 8 bytes"),
            ("aaaaaaaaaaaaaaaaaaaaaaaa", "the secret repeats too few different characters"),
            ("changemechangeme1234", "the secret is a well-known sample"),
        ])
    func weak(value: String, reason: String) throws {
        let top = try read("\ns: {env: WEAK}", environment: ["WEAK": value])
        let error = #expect(throws: SettingsError.self) { try top.secret("s") }
        #expect(error?.description.hasPrefix("gatefold.yaml:2: s: \(reason)") == true)
    }

    @Test(
        "are never written in the configuration itself",
        arguments: ["s: Kq7wN2vR8tYx4mZp", "s: {value: Kq7wN2vR8tYx4mZp}"])
    func literal(text: String) throws {
        let top = try read(text)
        let error = #expect(throws: SettingsError.self) { try top.secret("s") }
        #expect(error?.description.contains("expected {file: PATH} or {env: NAME}") == true)
        #expect(error?.description.contains("Kq7wN2vR8tYx4mZp") == false)
    }

    @Test("that are missing are reported by where they should be", arguments: ["s: {file: gone}", "s: {env: GONE}"])
    func missing(text: String) throws {
        let top = try read(text)
        #expect(throws: SettingsError.self) { try top.secret("s") }
    }
}
