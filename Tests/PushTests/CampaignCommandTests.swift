import Foundation
import Gatefold
import Testing

@testable import Push

@Suite("Advice for a stopped campaign") struct CampaignCommandTests {
    private func advice(name: String?, edition: String?, in environment: PushEnvironment = .production) throws -> String
    {
        let begun = Date(timeIntervalSince1970: 1_793_534_400)
        let edition = edition.flatMap { EditionID($0) }
        let usual =
            edition.map { CampaignName.of($0, app: PushFixture.app, in: environment) }
            ?? CampaignName.at(begun, app: PushFixture.app, in: environment)
        let campaign = PushCampaign(
            name: name ?? usual, publication: try PushFixture.publication, app: PushFixture.app,
            environment: environment,
            edition: edition, begun: begun)
        return PushCampaignError.unknownTokens(50, campaign).description
    }

    @Test("Names the edition or the custom name in the suggested command, or neither")
    func full() throws {
        let start = "`gatefold push send --publication daily --app com.example.daily --environment"
        let end = "--remove-unknown` removes them and continues"
        #expect(try advice(name: nil, edition: "daily-7").hasSuffix("\(start) production --edition daily-7 \(end)"))
        #expect(try advice(name: nil, edition: nil, in: .sandbox).hasSuffix("\(start) sandbox \(end)"))
        let named = "--remove-unknown`, with its --payload if it has one, removes them and continues"
        #expect(
            try advice(name: "it's on", edition: nil).hasSuffix("\(start) production --name 'it'\\''s on' \(named)"))
        #expect(
            try advice(name: "sale", edition: "daily-7").hasSuffix(
                "\(start) production --edition daily-7 --name sale \(named)"))
    }
}
