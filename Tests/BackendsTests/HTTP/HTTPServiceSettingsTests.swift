import BackendFixtures
import Foundation
import Settings
import TestSupport
import Testing

@testable import Backends

@Suite("Settings of an HTTP service")
struct HTTPServiceSettingsTests {
    private static let good = """
        kind: http
        base: https://readers.example.com
        credentials: {identifier: email, proofs: [password]}
        calls:
          sign_in:
            body: {form: {email: "{email}", password: "{password}"}}
            read: {valid: {json: /valid}, token: {json: /token}}
            authenticated: {when: {valid: "yes"}}
            rejected: {status: [401], by_status: true}
          subscription:
            url: "/{token}"
            read: {state: {json: /state}}
        """

    @Test("Settings that could let a reader in wrongly or send a value to the wrong place are rejected at startup")
    func rejections() {
        #expect(rejection(Self.good) == nil)
        for (old, new, message) in [
            ("{when: {valid: \"yes\"}}", "{status: [200]}", "calls.sign_in.authenticated: expected `when` or `has`"),
            ("    authenticated: {when: {valid: \"yes\"}}\n", "", "calls.sign_in.authenticated: missing"),
            ("    rejected: {status: [401], by_status: true}\n", "", "calls.sign_in.rejected: missing"),
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
                "may reject our own authorization"
            ),
            ("calls:", "tls: {verify: false}\ncalls:", "tls.verify: unknown key"),
            ("calls:", "redirects: always\ncalls:", "redirects: expected one of never, same_host"),
            ("calls:", "variants: {a: {x: 1}, b: {y: 1}}\ncalls:", "expected the same names in every variant"),
            ("  sign_in:\n", "  sign_in:\n    headers: {Host: x}\n", "expected other headers"),
            ("  sign_in:\n", "  sign_in:\n    headers: {X-A: \"a\\r\\nb\"}\n", "expected other headers"),
        ] {
            let text = rejection(Self.good.replacing(old, with: new), environment: ["P": "secret"])
            #expect(text?.contains(message) == true, "\(new): \(text ?? "accepted")")
            #expect(text?.hasPrefix("backend.yaml:") ?? true, "\(new): \(text ?? "")")
        }
    }

    @Test("A constant that its place cannot carry is rejected at startup")
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
                "rejected: {status: [401], by_status: true}", with: "rejected: {when: {valid: \"no\"}}")
            for variables in ["variables: {brand: VALUE}", "variants: {a: {brand: WK}, b: {brand: VALUE}}"] {
                func text(_ value: String) -> String? {
                    rejection(
                        "\(variables.replacing("VALUE", with: value))\n\(guarded.replacing(old, with: new))",
                        environment: ["P": "secret", "CONTROL": "a\u{7}b"])
                }
                #expect(
                    text(constant)?.contains("cannot be sent") == true, "\(new): \(text(constant) ?? "accepted")")
                if constant != "x" { #expect(text("WK") == nil, "\(new): \(text("WK") ?? "")") }
            }
        }
    }

    @Test("Pitfall 14: a subscription response needs evidence of the service before it maps to a state")
    func subscriptionEvidence() {
        let paths = "read: {state: {xml: //state}, end: {xml: //end}}"
        for (read, mapping, isAccepted) in [
            (paths, "{state: {by: periods}, periods: {end: end}}", false),
            (paths, "{state: {empty: inactive}}", false), (paths, "{state: {empty: unknown}}", false),
            (paths, "{state: {inactive: [\"\"]}}", false), (paths, "{}", true),
            (paths, "{state: {other: inactive}}", true),
            (paths + "\n    authenticated: {has: [state]}", "{state: {by: periods}, periods: {end: end}}", true),
            (paths + "\n    authenticated: {by_status: true}", "{state: {empty: inactive}}", true),
            ("read: {state: {xml: boolean(//user)}}", "{state: {active: [\"true\"], inactive: [\"false\"]}}", false),
            ("read: {state: status}", "{state: {active: [\"200\"]}}", false), ("read: {state: text}", "{}", true),
            ("read: {state: text}", "{state: {other: inactive}}", false),
            ("read: {state: {header: X-State}}", "{}", true), ("read: {state: {json: $.state}}", "{}", true),
            ("read: {state: {json: $.state}}", "{state: {empty: unknown}}", false),
        ] {
            let text = rejection(
                Self.good.replacing("read: {state: {json: /state}}", with: read) + "\nsubscription: \(mapping)")
            #expect((text == nil) == isAccepted, "\(read) \(mapping): \(text ?? "accepted")")
            #expect(text?.contains("calls.subscription.authenticated: missing") ?? true, "\(text ?? "")")
        }
    }

    @Test("Pitfall 13: a text body with values is allowed with plain text types only")
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
            let text = rejection(
                Self.good.replacing("{form: {email: \"{email}\", password: \"{password}\"}}", with: body)
                    .replacing("  sign_in:\n", with: "  sign_in:\n    headers: \(headers)\n"))
            #expect((text == nil) == isAccepted, "\(body): \(text ?? "accepted")")
            #expect(text?.contains("calls.sign_in.body: expected `form`") ?? true, "\(text ?? "")")
        }
    }

    @Test("Sign-in by status alone is allowed with `by_status: true`")
    func byStatus() {
        let text = Self.good.replacing("{when: {valid: \"yes\"}}", with: "{status: [204], by_status: true}")
        #expect(rejection(text) == nil)
    }

    @Test("The documentation's examples are read", arguments: ["http-json.yaml", "http-soap.yaml"])
    func examples(name: String) throws {
        let file = PHPService.fixtures.appending(path: "Configurations/\(name)")
        #expect(rejection(try String(contentsOf: file, encoding: .utf8), environment: ["READERS_API_KEY": "x"]) == nil)
    }

    @Test("The guide shows the example verbatim")
    func guide() throws {
        let guide = PHPService.fixtures.appending(path: "../Sources/Backends/Backends.docc/HTTPService.md")
        let file = PHPService.fixtures.appending(path: "Configurations/http-json.yaml")
        let example = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        #expect(try String(contentsOf: guide, encoding: .utf8).contains(example.joined(separator: "\n")))
    }

    @Test("A preset without a required setting is rejected with the name of the setting")
    func presets() throws {
        let folder = PHPService.fixtures.appending(path: "../deploy").standardizedFileURL.path
        for (preset, message) in [("cds", "calls.sign_in.url: expected `base`"), ("dovetail", "expected `base`")] {
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
