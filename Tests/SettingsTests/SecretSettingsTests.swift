import Foundation
import Primitives
import Settings
import Testing

@Suite("Secrets in the configuration")
struct SecretSettingsTests {
    private func read(
        _ text: String, folder: String = "/nowhere", environment: [String: String] = [:]
    ) throws -> SettingsSection {
        try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: folder, environment: environment)
    }

    @Test("Are read from the environment")
    func fromEnvironment() throws {
        let secret = try read("s: {env: DAILY}", environment: ["DAILY": "Kq7wN2vR8tYx4mZp\n"]).secret("s")
        #expect(secret?.bytes == Array("Kq7wN2vR8tYx4mZp".utf8))
    }

    @Test("Are read from a file without the final line end")
    func fromFile() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatefold-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("Kq7wN2vR8tYx4mZp\r\n".utf8).write(to: folder.appending(path: "daily"))
        let secret = try read("s: {file: daily}", folder: folder.path).secret("s")
        #expect(secret?.bytes == Array("Kq7wN2vR8tYx4mZp".utf8))
    }

    @Test("External secrets may be weak, but not empty")
    func foreign() throws {
        let top = try read("s: {env: WEAK}\nt: {env: EMPTY}", environment: ["WEAK": "scott\n", "EMPTY": " \n"])
        #expect(try top.externalSecret("s") == "scott")
        #expect(throws: SettingsError.self) { try top.externalSecret("t") }
        #expect(try top.externalSecret("u") == nil)
    }

    @Test("Public texts may be inline or referenced like secrets")
    func publicTexts() throws {
        let top = try read("s: MIIB\nt: {env: KEY}\nu: {env: NONE}\nv: [1]", environment: ["KEY": "MIIC"])
        #expect(try top.publicText("s") == "MIIB")
        #expect(try top.publicText("t") == "MIIC")
        #expect(throws: SettingsError.self) { try top.publicText("u") }
        #expect(throws: SettingsError.self) { try top.publicText("v") }
        #expect(try top.publicText("w") == nil)
    }

    @Test("An inline value is reported as a secret or as a text")
    func themselves() throws {
        let top = try read("s: Kq7wN2vR8tYx4mZp")
        let secret = #expect(throws: SettingsError.self) { try top.secret("s") }
        #expect(secret?.description.hasSuffix("expected {file: PATH} or {env: NAME}, not the secret itself") == true)
        let text = #expect(throws: SettingsError.self) { try top.privateText("s") }
        #expect(text?.description.hasSuffix("expected {file: PATH} or {env: NAME}, not the text itself") == true)
    }

    @Test("Rotation: the first secret signs and the others verify")
    func signalCount() throws {
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
        "Inline secrets are rejected without being repeated",
        arguments: ["s: Kq7wN2vR8tYx4mZp", "s: {value: Kq7wN2vR8tYx4mZp}"])
    func literal(text: String) throws {
        let top = try read(text)
        let error = #expect(throws: SettingsError.self) { try top.secret("s") }
        #expect(error?.description.contains("expected {file: PATH} or {env: NAME}") == true)
        #expect(error?.description.contains("Kq7wN2vR8tYx4mZp") == false)
    }

    @Test("Missing secrets are rejected", arguments: ["s: {file: gone}", "s: {env: GONE}"])
    func missing(text: String) throws {
        let top = try read(text)
        #expect(throws: SettingsError.self) { try top.secret("s") }
    }
}
