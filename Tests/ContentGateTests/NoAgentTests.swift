import Foundation
import Testing

@Suite("User agent")
struct NoAgentTests {
    @Test("Pitfall 12: no source file of the gate, the front doors or the server reads it")
    func sources() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        var read = 0
        for folder in [
            "Primitives", "Gatefold", "Commerce", "Accounts", "EdgeTokens", "ContentGate", "FrontDoors", "Server",
        ] {
            let files = FileManager.default.enumerator(
                at: sources.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8).lowercased()
                #expect(!text.contains("user-agent") && !text.contains("useragent"), "\(file.lastPathComponent)")
                read += 1
            }
        }
        #expect(read > 50)
    }
}
