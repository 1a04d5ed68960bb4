import Foundation
import Gatefold
import JSON
import OutgoingRequests
import Settings

@testable import Backends

extension FuzzTarget {
    /// The answer of a publisher's service, read in every way that a configuration has.
    static let serviceAnswer = FuzzTarget(
        "service-answer", upTo: 1024, of: "AnswerReader", "AnswerValues", "AnswerRule", "ServiceCall", "SOAPFault",
        "DigestChallenge", "FormFields", "ServiceTransport"
    ) { bytes in
        let line = text(Array(bytes.prefix { $0 != 0x0A }))
        let answer = HTTPAnswer(status: 200, headers: [.init(name: "x-state", value: line)], body: bytes)
        _ = reader.values(in: answer)
        _ = SOAPFault.isIn(answer)
        if let challenge = DigestChallenge([line]) {
            let written = challenge.answer(
                user: "u", password: "p", method: "GET", target: "/", count: 1, clientNonce: "c")
            promise(written.hasPrefix("Digest "), "a challenge has no answer")
        }
        for status in [200, 401, 404, 500, 503] {
            // An outage is none of both, and what is neither is none, either (PITFALLS row 9).
            let outcome = try? signIn.outcome(of: HTTPAnswer(status: status, headers: answer.headers, body: bytes))
            switch outcome {
            case .good(let values)?:
                let isSaid = says(values["state"], "active") || says(values["plan"], "gold")
                promise(status == 200 && isSaid, "somebody is recognised without a word")
            case .refused(let values)?:
                let isSaid = says(values["state"], "gone") || says(values["plan"], "none")
                promise([200, 401].contains(status) && isSaid, "somebody is refused without a word")
            case nil: break
            }
        }
        if ServiceTransport.isOwnError(bytes), let json = try? JSONParser.parse(bytes) {
            promise(json["code"] != nil || json["errors"]?.members != nil, "a page is taken for a service's own word")
        }
    }

    private static func says(_ found: [String]?, _ word: String) -> Bool {
        found?.count == 1 && found?.first?.lowercased().contains(word) == true
    }

    /// Two lines: a template of a configuration, and a value that somebody typed.
    static let serviceTemplate = FuzzTarget(
        "service-template", upTo: 256, of: "Template", "XMLTemplate", "URLTemplate", "TemplatePlace"
    ) { bytes in
        let lines = lines(bytes, 2)
        let values = TemplateValues(["v": lines[1]])
        if let template = try? Template(lines[0]) { _ = try? template.render(values, in: .form) }
        if let template = try? XMLTemplate(lines[0]) { _ = try? template.render(values) }
        if let template = try? URLTemplate(lines[0], base: nil), let url = try? template.url(values) {
            promise(ServiceURL(url.text)?.origin == url.origin, "a value leads elsewhere")
        }
        let form = try? TemplatePlace.form.write(lines[1])
        promise(form.map { Backends.FormFields("v=\($0)").values("v") } == [lines[1]], "a value is another one")
        guard let made = try? place.url(values).text else { return }
        let path = made.dropFirst("https://h.example/a/".count)
        promise(made.hasPrefix("https://h.example/a/"), "a value leads elsewhere")
        promise(path.split(separator: "/", omittingEmptySubsequences: false).count == 2, "a value is two segments")
    }

    /// What another endpoint of our own kind answers.
    static let pugpigAnswer = FuzzTarget("pugpig-answer", upTo: 1024, of: "PugpigDocuments") { bytes in
        let answer = HTTPAnswer(status: 200, headers: [], body: bytes)
        _ = try? PugpigDocuments.token(answer)
        _ = try? PugpigDocuments.verdict(answer)
        if let told = try? PugpigDocuments.subscription(answer), told.entitlement == .allEditions {
            promise(told.state == .active, "a reader without a subscription has everything")
        }
    }

    /// A line of a publisher's program.
    static let programAnswer = FuzzTarget("program-answer", upTo: 1024, of: "ProcessMessages") { bytes in
        guard let answer = try? ProcessAnswer(bytes, to: 1) else { return }
        _ = try? answer.record()
        guard let found = try? answer.found() else { return }
        promise(text(bytes).contains("true") && !found.key.isEmpty, "somebody is recognised without a word")
    }

    private static let reader = ready {
        try AnswerReader(
            ready {
                try YAMLSettings.read(
                    text: """
                        read:
                          state: {xml: "//state"}
                          note: {xml: "/*/@note"}
                          plan: {json: /plan}
                          skus: {json: "$..sku"}
                          level: {form: level}
                          mark: {header: X-State}
                          all: text
                          code: status
                        """, name: "gatefold.yaml", folder: "/nowhere")
            }, namespaces: [:])
    }

    private static let signIn = ready {
        try ServiceCall(
            .signIn,
            ready {
                try YAMLSettings.read(
                    text: """
                        url: https://h.example/in
                        read:
                          state: {xml: "//state"}
                          plan: {json: /plan}
                        recognised: [{when: {state: active}}, {when: {plan: gold}}]
                        refused: [{status: [200, 401], when: {state: gone}}, {status: [401], when: {plan: none}}]
                        """, name: "gatefold.yaml", folder: "/nowhere")
            }, base: nil, namespaces: [:], isAuthorizedByUs: false)
    }

    private static let place = ready { try URLTemplate("https://h.example/a/{v}/c", base: nil) }
}
