import Gatefold
import HTTPTypes

@testable import FrontDoors

extension FuzzTarget {
    /// A body's fields and the values made of them: the credentials, the content of an account, and the page of a list.
    static let requestFields = FuzzTarget(
        "request-fields", upTo: 1024, of: "CredentialFields", "InPlayerRequestHandler+Account",
        "InPlayerRequestHandler+History"
    ) { bytes in
        var fields: [String: String] = [:]
        for (name, value) in (try? InPlayerFields.json(bytes)) ?? FrontDoors.FormFields.parse(bytes) {
            fields[name] = value
        }
        checkCredentials(fields)
        checkMetadata(fields)
        checkPage(fields)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return }
        let key = text(bytes)
        let expected = isMetadata(key) ? [key: "x"] : [:]
        promise(handler(["metadata[\(key)]": "x"]).metadata == expected, "an account field was lost")
    }

    /// Checks that the subscriber system receives exactly the typed credentials, and never empty ones, which some
    /// systems accept as an anonymous bind (Pitfall 14).
    private static func checkCredentials(_ fields: [String: String]) {
        guard let credentials = credentialFields.credentials(from: fields) else { return }
        let expected = credentials.kind == .typed ? ["password", "username"] : ["receipt"]
        promise(credentials.names == expected, "credentials are incomplete")
        for name in expected {
            let value = credentials[name] ?? ""
            promise(fields[name]?.utf8.elementsEqual(value.utf8) == true, "credentials differ from the input")
            promise(!value.allSatisfy(\.isWhitespace) && !value.utf8.contains(0), "an empty password was accepted")
        }
        let identifier = credentials.identifier
        promise(CredentialFields.fold(identifier) == identifier, "a reader has two identifiers")
    }

    private static func checkMetadata(_ fields: [String: String]) {
        for (key, value) in handler(fields).metadata {
            promise(fields["metadata[\(key)]"] == value && isMetadata(key), "an account has a field that was not sent")
        }
    }

    private static func isMetadata(_ key: String) -> Bool {
        !key.isEmpty && !key.contains { $0 == "[" || $0 == "]" }
    }

    private static func checkPage(_ fields: [String: String]) {
        let page = InPlayerRequestHandler.Page(fields, standard: 20)
        promise((0...1_000_000).contains(page.number) && (1...100).contains(page.size), "a page is too long")
        let (all, first) = (Array(0..<250), page.number * page.size)
        let expected = all.filter { $0 >= first && $0 < first + page.size }
        promise(page.cut(all).elementsEqual(expected), "a page differs from the requested one")
    }

    private static func handler(_ fields: [String: String]) -> InPlayerRequestHandler {
        InPlayerRequestHandler(
            front: front, method: .post, refusedCall: .account, fields: fields, bearer: .missing, client: nil,
            languages: [])
    }

    private static let credentialFields = CredentialFields(
        identifier: "username", proofs: ["password"], receipts: ["receipt"])

    private static let front = InPlayerPublication(
        InPlayerSettings(merchant: "3f0a8f1c-52a1-4c5e-9d5b-1f7f3c1a2b4d"),
        authorizationService: FuzzedTenant.authorizationService,
        accountStore: NoStore(), secrets: FuzzedTenant.secrets)
}
