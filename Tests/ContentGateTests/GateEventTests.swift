import Gatefold
import Testing

@testable import ContentGate

@Suite("Events of the gate")
struct GateEventTests {
    @Test("The number of a frequent counter and its publication stand for one metric with its labels")
    func numbers() throws {
        struct Key: Hashable {
            let number: Int
            let publication: PublicationID?
        }
        let publications = try ["daily", "weekly"].map { try #require(PublicationID($0)) }
        let path = try NormalisedPath(target: "/content/daily/a")
        let reasons: [AllowedContent.Reason] = [.open, .free, .credentials, .resumption, .feed]
        var counters: [Key: MetricSeries] = [:]
        for publication in publications {
            for entryPoint in [GateEvent.EntryPoint.middleware, .authRequest, .fileServer] {
                for reason in reasons {
                    let content = AllowedContent(
                        publication: publication, path: path, relativeSegments: ["a"], root: nil, edition: nil,
                        subscriber: nil, reason: reason)
                    let event = GateEvent(decision: .allowed(content), entryPoint: entryPoint)
                    let counter = try #require(event.frequentCounter)
                    #expect(counter.level == event.report.line?.level)
                    let key = Key(number: counter.number, publication: counter.publication)
                    counters[key] = event.report.metric?.series
                }
            }
        }
        #expect(counters.count == 30 && Set(counters.values).count == 30)
        #expect(GateEvent(decision: .denied(GateDenial(.method)), entryPoint: .fileServer).frequentCounter == nil)
    }
}
