import BackendBenches
import Foundation
import Settings
import TestSupport
import Testing

@testable import Backends

@Suite("The settings of a service over HTTP")
struct HTTPServiceSettingsTests {
    private static let good = """
        kind: http
        base: https://readers.example.com
        credentials: {identifier: email, proofs: [password]}
        calls:
          sign_in:
            body: {form: {email: "{email}", password: "{password}"}}
            read: {valid: {json: /valid}, token: {json: /token}}
            recognised: {when: {valid: "yes"}}
            refused: {status: [401], by_status: true}
          subscription:
            url: "/{token}"
            read: {state: {json: /state}}
        """

    @Test("What could let somebody in, or send a value where it does not belong, is refused at the start")
    func refusals() {
        #expect(refusal(Self.good) == nil)
        for (old, new, message) in [
            ("{when: {valid: \"yes\"}}", "{status: [200]}", "calls.sign_in.recognised: expected `when` or `has`"),
            ("    recognised: {when: {valid: \"yes\"}}\n", "", "calls.sign_in.recognised: missing"),
            ("    refused: {status: [401], by_status: true}\n", "", "calls.sign_in.refused: missing"),
            ("{valid: \"yes\"}", "{vlaid: \"yes\"}", "`vlaid` is not among what `read` names"),
            ("{password}", "{passwort}", "`{passwort}` is none of"),
            (", password: \"{password}\"", "", "expected `{password}` somewhere"),
            ("/{token}", "/{tokken}", "`{tokken}` is none of"),
            ("\"/{token}\"", "https://{token}/", "expected an http or https URL"),
            ("https://readers", "https://u:p@readers", "base: expected an http or https URL"),
            ("{json: /valid}", "{json: valid}", "expected a JSON Pointer"),
            ("{json: /valid}", "{json: \"$[1:2]\"}", "expected a JSONPath"),
            ("{json: /valid}", "{xml: \"//s:a\"}", "expected an XPath 1.0 expression"),
            ("{json: /valid}", "{jsn: /valid}", "expected `status`, `text`, or one of"),
            ("{json: /state}", "{json: /state}, x: {json: /state}}\n    recieved: {", "unknown key"),
            ("read: {state:", "read: {status:", "reads `state`, which the call `subscription` does not read"),
            ("token: {json", "email: {json", "`read` has the name `email`, which is taken"),
            ("form: {email", "xml: <a/>, form: {email", "expected one body"),
            ("calls:", "authorization: {basic: {user: u, password: p}}\ncalls:", "authorization.basic.password"),
            (
                "calls:", "authorization: {basic: {user: u, password: {env: P}}}\ncalls:",
                "may refuse our own authorization"
            ),
            ("calls:", "tls: {verify: false}\ncalls:", "tls.verify: unknown key"),
            ("calls:", "redirects: always\ncalls:", "redirects: expected one of never, same_host"),
            ("calls:", "variants: {a: {x: 1}, b: {y: 1}}\ncalls:", "expected the same names in every variant"),
            ("  sign_in:\n", "  sign_in:\n    headers: {Host: x}\n", "expected other headers"),
            ("  sign_in:\n", "  sign_in:\n    headers: {X-A: \"a\\r\\nb\"}\n", "expected other headers"),
        ] {
            let text = refusal(Self.good.replacing(old, with: new), environment: ["P": "secret"])
            #expect(text?.contains(message) == true, "\(new): \(text ?? "accepted")")
            #expect(text?.hasPrefix("backend.yaml:") ?? true, "\(new): \(text ?? "")")
        }
    }

    @Test("Something of ours that can not be carried is refused at the start, and not every reader later")
    func constants() {
        for (old, new, constant) in [
            ("\"/{token}\"", "\"/{brand}/{token}\"", "\"\""), ("\"/{token}\"", "\"/{brand}/{token}\"", "\"..\""),
            ("  sign_in:\n", "  sign_in:\n    headers: {X-A: \"{brand}\"}\n", "\" a\""),
            ("  sign_in:\n", "  sign_in:\n    headers: {X-A: \"{brand}\"}\n", "\"a\\nb\""),
            ("  sign_in:\n", "  sign_in:\n    headers: {Cookie: \"a={brand}\"}\n", "\"a; b=c\""),
            (
                "  sign_in:\n",
                "  sign_in:\n    authorization: {basic: {user: \"{brand}\", password: \"{password}\"}}\n", "\"a:b\""
            ),
            ("calls:", "authorization: {basic: {user: \"a:b\", password: {env: P}}}\ncalls:", "x"),
            ("calls:", "authorization: {digest: {user: \"a:b\", password: {env: P}}}\ncalls:", "x"),
            ("calls:", "authorization: {basic: {user: a, password: {env: CONTROL}}}\ncalls:", "x"),
        ] {
            let guarded = Self.good.replacing(
                "refused: {status: [401], by_status: true}", with: "refused: {when: {valid: \"no\"}}")
            for variables in ["variables: {brand: VALUE}", "variants: {a: {brand: WK}, b: {brand: VALUE}}"] {
                func text(_ value: String) -> String? {
                    refusal(
                        "\(variables.replacing("VALUE", with: value))\n\(guarded.replacing(old, with: new))",
                        environment: ["P": "secret", "CONTROL": "a\u{7}b"])
                }
                #expect(
                    text(constant)?.contains("can not be carried") == true, "\(new): \(text(constant) ?? "accepted")")
                if constant != "x" { #expect(text("WK") == nil, "\(new): \(text("WK") ?? "")") }
            }
        }
    }

    @Test("Pitfall 14: a subscription's answer must show that it is the service's before it means a state")
    func subscriptionEvidence() {
        let paths = "read: {state: {xml: //state}, end: {xml: //end}}"
        for (read, mapping, isAccepted) in [
            (paths, "{state: {by: periods}, periods: {end: end}}", false),
            (paths, "{state: {empty: inactive}}", false), (paths, "{state: {empty: unknown}}", false),
            (paths, "{state: {inactive: [\"\"]}}", false), (paths, "{}", true),
            (paths, "{state: {other: inactive}}", true),
            (paths + "\n    recognised: {has: [state]}", "{state: {by: periods}, periods: {end: end}}", true),
            (paths + "\n    recognised: {by_status: true}", "{state: {empty: inactive}}", true),
            ("read: {state: {xml: boolean(//user)}}", "{state: {active: [\"true\"], inactive: [\"false\"]}}", false),
            ("read: {state: status}", "{state: {active: [\"200\"]}}", false), ("read: {state: text}", "{}", true),
            ("read: {state: text}", "{state: {other: inactive}}", false),
            ("read: {state: {header: X-State}}", "{}", true), ("read: {state: {json: $.state}}", "{}", true),
            ("read: {state: {json: $.state}}", "{state: {empty: unknown}}", false),
        ] {
            let text = refusal(
                Self.good.replacing("read: {state: {json: /state}}", with: read) + "\nsubscription: \(mapping)")
            #expect((text == nil) == isAccepted, "\(read) \(mapping): \(text ?? "accepted")")
            #expect(text?.contains("calls.subscription.recognised: missing") ?? true, "\(text ?? "")")
        }
    }

    @Test("Pitfall 13: a text with values in it has no type in which they could be more than values")
    func textTypes() {
        for (body, headers, isAccepted) in [
            ("{text: {body: \"{email} {password}\"}}", "{}", true),
            ("{text: {type: text/plain, body: \"{email} {password}\"}}", "{}", true),
            ("{text: {type: text/xml, body: \"<a>{email}{password}</a>\"}}", "{}", false),
            ("{text: {type: application/vnd.x+json; charset=utf-8, body: \"{email}{password}\"}}", "{}", false),
            ("{text: {type: application/x-www-form-urlencoded, body: \"u={email}&p={password}\"}}", "{}", false),
            ("{text: {body: \"{email} {password}\"}}", "{content-type: text/xml}", false),
            ("{text: {type: text/xml, body: <a/>}}", "{A: \"{email}\", B: \"{password}\"}", true),
        ] {
            let text = refusal(
                Self.good.replacing("{form: {email: \"{email}\", password: \"{password}\"}}", with: body)
                    .replacing("  sign_in:\n", with: "  sign_in:\n    headers: \(headers)\n"))
            #expect((text == nil) == isAccepted, "\(body): \(text ?? "accepted")")
            #expect(text?.contains("calls.sign_in.body: expected `form`") ?? true, "\(text ?? "")")
        }
    }

    @Test("The status alone signs in only where the configuration says so")
    func byStatus() {
        let text = Self.good.replacing("{when: {valid: \"yes\"}}", with: "{status: [204], by_status: true}")
        #expect(refusal(text) == nil)
    }

    @Test("The documentation's examples are read", arguments: ["http-json.yaml", "http-soap.yaml"])
    func examples(name: String) throws {
        let file = PHPService.fixtures.appending(path: "Configurations/\(name)")
        #expect(refusal(try String(contentsOf: file, encoding: .utf8), environment: ["READERS_API_KEY": "x"]) == nil)
    }

    @Test("The guide shows the example word for word")
    func guide() throws {
        let guide = PHPService.fixtures.appending(path: "../Sources/Backends/Backends.docc/HTTPService.md")
        let file = PHPService.fixtures.appending(path: "Configurations/http-json.yaml")
        let example = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        #expect(try String(contentsOf: guide, encoding: .utf8).contains(example.joined(separator: "\n")))
    }

    @Test("A preset without what its backend must say is refused with what is missing")
    func presets() throws {
        let folder = PHPService.fixtures.appending(path: "../deploy").standardizedFileURL.path
        for (preset, message) in [("cds", "calls.sign_in.url: needs `base`"), ("dovetail", "needs `base`")] {
            do {
                _ = try openService("preset: presets/\(preset).yaml", folder: folder)
                Issue.record("accepted")
            } catch {
                #expect("\(error)".contains(message), "\(error)")
                #expect("\(error)".contains("presets/\(preset).yaml:"), "\(error)")
            }
        }
    }
}
