import Foundation
import Testing

@testable import Server

/// The whole configurations that the guides to chains, migration and programs show.
@Suite("The guides' whole configurations") struct GuideConfigurationTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/Configurations")

    @Test("can be served", arguments: ["chain", "shadow", "process", "inplayer"])
    func check(name: String) throws {
        let configuration = try GatefoldConfiguration.read(
            path: Self.folder.appending(path: "\(name).yaml").path,
            environment: [
                "GATEFOLD_REFERENCES": "vS3nq0sYb2uT7kDx", "GATEFOLD_EDITIONS": "Kq7wN2vR8tYx4mZp",
                "GATEFOLD_LEGACY_PASSWORD": "legacy",
            ])
        try Assembly.check(configuration)
    }
}
