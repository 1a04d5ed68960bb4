import Foundation
import Gatefold
import Testing

@testable import Push

@Suite("What goes on with a campaign") struct CampaignCommandTests {
    private func advice(name: String?, edition: String?, in environment: PushEnvironment = .production) throws -> String
    {
        let begun = Date(timeIntervalSince1970: 1_793_534_400)
        let edition = edition.flatMap { EditionID($0) }
        let usual =
            edition.map { CampaignName.of($0, app: PushBench.app, in: environment) }
            ?? CampaignName.at(begun, app: PushBench.app, in: environment)
        let campaign = PushCampaign(
            name: name ?? usual, publication: try PushBench.publication, app: PushBench.app, environment: environment,
            edition: edition, begun: begun)
        return PushStop.strangers(50, campaign).description
    }

    @Test("names its edition, or its name, or neither where it has neither")
    func full() throws {
        let start = "`gatefold push send --publication daily --app com.example.daily --environment"
        let end = "--forget-unknown` removes them and goes on"
        #expect(try advice(name: nil, edition: "daily-7").hasSuffix("\(start) production --edition daily-7 \(end)"))
        #expect(try advice(name: nil, edition: nil, in: .sandbox).hasSuffix("\(start) sandbox \(end)"))
        let named = "--forget-unknown`, with its --payload if it has one, removes them and goes on"
        #expect(
            try advice(name: "it's on", edition: nil).hasSuffix("\(start) production --name 'it'\\''s on' \(named)"))
        #expect(
            try advice(name: "sale", edition: "daily-7").hasSuffix(
                "\(start) production --edition daily-7 --name sale \(named)"))
    }
}
