import Foundation
import Testing

@testable import Server

/// Tests the complete configurations in the guides to chains, migration, programs and InPlayer.
@Suite("Complete configurations of the guides") struct GuideConfigurationTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/Configurations")

    @Test("Each configuration is valid", arguments: ["chain", "shadow", "process", "inplayer"])
    func check(name: String) throws {
        let configuration = try GatefoldConfiguration.read(
            path: Self.folder.appending(path: "\(name).yaml").path,
            environment: [
                "GATEFOLD_PSEUDONYM_SECRET": "vS3nq0sYb2uT7kDx", "GATEFOLD_EDITIONS": "Kq7wN2vR8tYx4mZp",
                "GATEFOLD_LEGACY_PASSWORD": "legacy",
            ])
        try Bootstrap.check(configuration)
    }
}
