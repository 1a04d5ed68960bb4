import Foundation
import Settings
import TestSupport
import Testing

@Suite("Presets")
struct PresetTests {
    private func with(
        _ preset: String, _ own: String, environment: [String: String] = [:],
        _ body: (SettingsSection, URL) throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try Data(preset.utf8).write(to: folder.appending(path: "p.yaml"))
            let top = try YAMLSettings.read(
                text: own, name: "gatefold.yaml", folder: folder.path, environment: environment)
            try body(try top.section("backends").section("a"), folder)
        }
    }

    @Test("Own settings override the preset at any depth, and null removes a key")
    func merging() async throws {
        try await with(
            "a: 1\nb: {c: 2, d: [1, 2], e: {f: 3}}\ng: 4\n",
            "backends:\n  a:\n    preset: p.yaml\n    b: {d: [3], e: {h: 5}}\n    g: ~\n    i: 6\n"
        ) { section, _ in
            let merged = try section.withPreset()
            #expect(merged.names == ["a", "b", "g", "i"])
            #expect(try merged.string("a") == "1")
            #expect(!merged.has("g") && !merged.has("preset"))
            let inner = try merged.section("b")
            #expect(try inner.string("c") == "2")
            #expect(try inner.strings("d") == ["3"])
            #expect(try inner.section("e").names == ["f", "h"])
        }
    }

    @Test("Errors name the file and the line of a setting")
    func errors() async throws {
        try await with(
            "a: x\nb: 1\nwrong: 1\n", "backends:\n  a:\n    preset: p.yaml\n    b: y\n"
        ) { section, folder in
            let merged = try section.withPreset()
            #expect(merged.error("a", expected: "e").description == "\(folder.path)/p.yaml:1: backends.a.a: e")
            #expect(merged.error("b", expected: "e").description == "gatefold.yaml:4: backends.a.b: e")
            _ = (try merged.string("a"), try merged.string("b"))
            do {
                try merged.finish()
                Issue.record("accepted")
            } catch {
                #expect("\(error)".hasPrefix("\(folder.path)/p.yaml:3: backends.a.wrong: unknown key"))
            }
        }
    }

    @Test("Environment variables override both and may name the preset")
    func environment() async throws {
        try await with(
            "a: 1\nb: {c: 2}\n", "backends:\n  a:\n    d: 1\n",
            environment: ["GATEFOLD__BACKENDS__A__PRESET": "p.yaml", "GATEFOLD__BACKENDS__A__B__C": "9"]
        ) { section, _ in
            let merged = try section.withPreset()
            #expect(try merged.section("b").string("c") == "9")
            #expect(try merged.string("a") == "1")
        }
    }

    @Test("The fingerprint changes with the preset")
    func fingerprint() async throws {
        try await with("a: 1\n", "backends:\n  a:\n    preset: p.yaml\n") { section, folder in
            let before = try section.withPreset().fingerprint()
            try Data("a: 2\n".utf8).write(to: folder.appending(path: "p.yaml"))
            #expect(try section.withPreset().fingerprint() != before)
        }
    }

    @Test("Rejects a missing or invalid preset and one that names another preset")
    func rejected() async throws {
        try await with("preset: q.yaml\n", "backends:\n  a:\n    preset: p.yaml\n") { section, folder in
            #expect(throws: SettingsError.self) { try section.withPreset() }
            try Data("a: [".utf8).write(to: folder.appending(path: "p.yaml"))
            #expect(throws: SettingsError.self) { try section.withPreset() }
            try FileManager.default.removeItem(at: folder.appending(path: "p.yaml"))
            do {
                _ = try section.withPreset()
                Issue.record("accepted")
            } catch {
                #expect("\(error)".hasPrefix("gatefold.yaml:3: backends.a.preset: "), "\(error)")
            }
        }
    }
}
