import Foundation
import Settings
import Testing

@Suite("Fingerprint of a settings section")
struct FingerprintTests {
    private func fingerprint(_ text: String, folder: String = "/nowhere", _ environment: [String: String] = [:]) throws
        -> [UInt8]
    {
        try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: folder, environment: environment)
            .section("s").fingerprint()
    }

    @Test("Is independent of position and layout")
    func same() throws {
        let first = try fingerprint("s: {a: 1, b: [x, y]}")
        #expect(try fingerprint("# moved\nother: 2\ns:\n  a: 1\n  b:\n    - x\n    - y\n") == first)
    }

    @Test(
        "Changes with every key, value and order",
        arguments: [
            "s: {a: 2, b: [x, y]}", "s: {a: 1, b: [y, x]}", "s: {a: 1, b: [xy]}", "s: {a: 1, b: x}", "s: {a: 1}",
            "s: {a: '1', b: [x, y]}", "s: {a: 1, b: [x, y], c: ~}", "s: {aa: 1, b: [x, y]}",
        ])
    func different(text: String) throws {
        #expect(try fingerprint(text) != fingerprint("s: {a: 1, b: [x, y]}"))
    }

    @Test("Changes with a referenced secret")
    func secrets() throws {
        let text = "s: {password: {env: PASSWORD}}"
        #expect(try fingerprint(text, ["PASSWORD": "a"]) != fingerprint(text, ["PASSWORD": "b"]))
        #expect(try fingerprint(text, ["PASSWORD": "a", "OTHER": "b"]) == fingerprint(text, ["PASSWORD": "a"]))
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatefold-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("old".utf8).write(to: folder.appending(path: "password"))
        let inFile = "s: {password: {file: password}}"
        let old = try fingerprint(inFile, folder: folder.path)
        try Data("new".utf8).write(to: folder.appending(path: "password"))
        #expect(try fingerprint(inFile, folder: folder.path) != old)
    }
}
