import Commerce
import Foundation
import Settings
import StoreFixtures
import TestSupport
import Testing
import X509

@testable import Receipts

@Suite("Guide to the App Store Server") struct AppStoreServerGuideTests {
    private var guide: String {
        get throws {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/Receipts/Receipts.docc/AppStoreServer.md").standardizedFileURL
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    @Test("Shows settings that the settings reader accepts")
    func settings() async throws {
        let block = try #require(
            try guide.components(separatedBy: "```yaml\n").dropFirst().first?.components(separatedBy: "```").first)
        try await withTemporaryFolder { folder in
            try Data(SigningAuthority().root.der).write(to: folder.appending(path: "AppleRootCA-G3.cer"))
            try Data(P256Key().privatePEM.utf8).write(to: folder.appending(path: "SubscriptionKey_2X9R4HXF34.p8"))
            let top = try YAMLSettings.read(text: block, name: "AppStoreServer.md", folder: folder.path)
            let settings = try StoreRegistry.read(
                name: SignedFormats.store, settings: try top.section("stores").section("app-store"))
            #expect(settings.environments == [.production])
            #expect((settings as? AppleStoreSettings)?.server?.keyID == "2X9R4HXF34")
        }
    }

    @Test("Names every revocation mode and the current URLs and limits")
    func words() throws {
        let guide = try guide
        for mode in RevocationMode.allCases { #expect(guide.contains("| `\(mode.rawValue)`"), "\(mode)") }
        for word in [AppStoreServerSettings.productionURL, AppStoreServerSettings.sandboxURL, "4040010"] {
            #expect(guide.contains(word))
        }
    }
}
