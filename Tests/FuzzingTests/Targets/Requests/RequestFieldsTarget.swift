import Gatefold
import HTTPTypes

@testable import FrontDoors

extension FuzzTarget {
    /// A body's fields, and what is made of them: who signs in, what an account is to hold, and which part of a list.
    static let requestFields = FuzzTarget(
        "request-fields", upTo: 1024, of: "CredentialFields", "InPlayerQuestion+Account", "InPlayerQuestion+History"
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
        promise(question(["metadata[\(key)]": "x"]).metadata == expected, "a field of an account is lost")
    }

    /// What is shown to a subscriber system is what was typed, all of it, and not nothing: to some that is a bind as
    /// nobody, which succeeds (PITFALLS row 14).
    private static func checkCredentials(_ fields: [String: String]) {
        guard let credentials = credentialFields.credentials(from: fields) else { return }
        let expected = credentials.form == .typed ? ["password", "username"] : ["receipt"]
        promise(credentials.names == expected, "credentials are not all there")
        for name in expected {
            let value = credentials[name] ?? ""
            promise(fields[name]?.utf8.elementsEqual(value.utf8) == true, "credentials are not what was typed")
            promise(!value.allSatisfy(\.isWhitespace) && !value.utf8.contains(0), "nothing is a password")
        }
        let identifier = credentials.identifier
        promise(CredentialFields.fold(identifier) == identifier, "a reader has two identifiers")
    }

    private static func checkMetadata(_ fields: [String: String]) {
        for (key, value) in question(fields).metadata {
            promise(fields["metadata[\(key)]"] == value && isMetadata(key), "nobody sent this field of an account")
        }
    }

    private static func isMetadata(_ key: String) -> Bool {
        !key.isEmpty && !key.contains { $0 == "[" || $0 == "]" }
    }

    private static func checkPage(_ fields: [String: String]) {
        let page = InPlayerQuestion.Page(fields, standard: 20)
        promise((0...1_000_000).contains(page.number) && (1...100).contains(page.size), "a page is too long")
        let (all, first) = (Array(0..<250), page.number * page.size)
        let expected = all.filter { $0 >= first && $0 < first + page.size }
        promise(page.cut(all).elementsEqual(expected), "a page is another one")
    }

    private static func question(_ fields: [String: String]) -> InPlayerQuestion {
        InPlayerQuestion(front: front, method: .post, fields: fields, bearer: .missing, client: nil, languages: [])
    }

    private static let credentialFields = CredentialFields(
        identifier: "username", proofs: ["password"], receipts: ["receipt"])

    private static let front = InPlayerPublication(
        InPlayerSettings(merchant: "3f0a8f1c-52a1-4c5e-9d5b-1f7f3c1a2b4d"), proxy: FuzzedTenant.proxy,
        book: NoStore(), secrets: FuzzedTenant.secrets)
}
