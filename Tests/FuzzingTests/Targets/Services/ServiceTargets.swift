import Foundation
import Gatefold
import JSON
import OutgoingRequests
import Primitives
import Settings

@testable import Backends

extension FuzzTarget {
    /// A response of a publisher's service, parsed with every kind of configuration.
    static let serviceResponse = FuzzTarget(
        "service-response", upTo: 1024, of: "ResponseReader", "ResponseValues", "ResponseRule", "ServiceCall",
        "SOAPFault",
        "DigestChallenge", "FormFields", "ServiceTransport"
    ) { bytes in
        let line = text(Array(bytes.prefix { $0 != 0x0A }))
        let response = OutboundResponse(status: 200, headers: [.init(name: "x-state", value: line)], body: bytes)
        _ = reader.values(in: response)
        _ = SOAPFault.isIn(response)
        if let challenge = DigestChallenge([line]) {
            let written = challenge.response(
                user: "u", password: "p", method: "GET", target: "/", count: 1, clientNonce: "c")
            promise(written.hasPrefix("Digest "), "a challenge has no response")
        }
        for status in [200, 401, 404, 500, 503] {
            // An outage is neither an acceptance nor a rejection, and an unclear result is an outage (Pitfall 9).
            let outcome = try? signIn.outcome(
                of: OutboundResponse(status: status, headers: response.headers, body: bytes))
            switch outcome {
            case .good(let values)?:
                let isReported = mentions(values["state"], "active") || mentions(values["plan"], "gold")
                promise(status == 200 && isReported, "a reader was authenticated without evidence")
            case .rejected(let values)?:
                let isReported = mentions(values["state"], "gone") || mentions(values["plan"], "none")
                promise([200, 401].contains(status) && isReported, "a reader was rejected without evidence")
            case nil: break
            }
        }
        if ServiceTransport.isServiceError(bytes), let json = try? JSONParser.parse(bytes) {
            promise(
                json["code"] != nil || json["errors"]?.members != nil,
                "a document of another server was accepted as the service's error")
        }
    }

    private static func mentions(_ found: [String]?, _ word: String) -> Bool {
        found?.count == 1 && found?.first?.lowercased().contains(word) == true
    }

    /// Two lines: a configured template and a typed value.
    static let serviceTemplate = FuzzTarget(
        "service-template", upTo: 256, of: "PlaceholderTemplate", "XMLTemplate", "URLTemplate", "TemplateContext",
        "TemplateValues"
    ) { bytes in
        let lines = lines(bytes, 2)
        let values = TemplateValues(["v": lines[1]])
        if let template = try? PlaceholderTemplate(lines[0]) { _ = try? template.render(values, in: .form) }
        if let template = try? XMLTemplate(lines[0]) { _ = try? template.render(values) }
        if let template = try? URLTemplate(lines[0], base: nil), let url = try? template.url(values) {
            promise(ServiceURL(url.text)?.origin == url.origin, "a value changed the host or path")
        }
        let form = try? TemplateContext.form.write(lines[1])
        promise(form.map { Backends.FormFields("v=\($0)").values("v") } == [lines[1]], "a value does not round-trip")
        guard let made = try? place.url(values).text else { return }
        let path = made.dropFirst("https://h.example/a/".count)
        promise(made.hasPrefix("https://h.example/a/"), "a value changed the host or path")
        promise(path.split(separator: "/", omittingEmptySubsequences: false).count == 2, "a value spans two segments")
    }

    /// A response of another endpoint of the same kind.
    static let pugpigResponse = FuzzTarget("pugpig-response", upTo: 1024, of: "PugpigDocuments") { bytes in
        let response = OutboundResponse(status: 200, headers: [], body: bytes)
        _ = try? PugpigDocuments.token(response)
        _ = try? PugpigDocuments.verdict(response)
        if let reported = try? PugpigDocuments.subscription(response), reported.entitlement == .allEditions {
            promise(reported.state == .active, "a reader without a subscription has all editions")
        }
    }

    /// A line of a publisher's program.
    static let programResponse = FuzzTarget("process-response", upTo: 1024, of: "ProcessMessages") { bytes in
        guard let response = try? ProcessResponse(bytes, to: 1) else { return }
        _ = try? response.record()
        guard let found = try? response.found() else { return }
        promise(text(bytes).contains("true") && !found.key.isEmpty, "a reader was authenticated without evidence")
    }

    private static let reader = ready {
        try ResponseReader(
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
                        authenticated: [{when: {state: active}}, {when: {plan: gold}}]
                        rejected: [{status: [200, 401], when: {state: gone}}, {status: [401], when: {plan: none}}]
                        """, name: "gatefold.yaml", folder: "/nowhere")
            }, base: nil, namespaces: [:], usesServiceAccount: false)
    }

    private static let place = ready { try URLTemplate("https://h.example/a/{v}/c", base: nil) }
}
