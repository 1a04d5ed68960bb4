import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

/// One call of an app.
struct InPlayerQuestion {
    let front: InPlayerPublication
    let method: HTTPRequest.Method
    let fields: [String: String]
    let bearer: Bearer
    let client: ClientAddress?
    let languages: [String]

    func answer(_ call: InPlayerCall) async throws -> Response {
        switch call {
        case .accounts where method == .post: try await register()
        case .accounts where method == .put: try await update()
        case .accounts: try await ownAccount()
        case .authenticate: try await authenticate()
        case .logout: try await signOut()
        case .erase: try await erase()
        case .changePassword: try await changePassword()
        case .forgotPassword: try await forgotPassword()
        case .newPassword(let token): try await setPassword(token)
        case .export: try await export()
        case .registerFields: registerFields()
        case .social: socialAddresses()
        case .sendPIN: try await sendPIN()
        case .validatePIN: try await validatePIN()
        case .item(let number, _): try await item(number)
        case .externalItem(let name): try await item(named: name)
        case .accessFees(let number): try await fees(number)
        case .access(let number): try await access(number)
        case .history: try await history()
        case .subscriptions: try await subscriptions()
        case .receipt(let store): try await receipt(store)
        case .noticeKeys: try await noticeKeys()
        case .favorites, .watchHistory: try await noMedia()
        case .keySet: throw InPlayerRefusal.unknownCall
        }
    }

    /// A question with these fields in place of the request's.
    func inquiry(_ fields: [String: String] = [:]) -> Inquiry {
        Inquiry(fields: fields, client: client, languages: languages)
    }

    func message(_ key: MessageKey) -> String? { front.proxy.publication.messages.text(key, for: languages) }

    /// A field that says something: some apps send the names of nothing (PROTOCOLS 5.2).
    func field(_ name: String) -> String? {
        guard let text = fields[name], !["", "undefined", "null"].contains(text) else { return nil }
        return text
    }

    /// A field without which there is no answer.
    func required(_ name: String) throws(InPlayerRefusal) -> String {
        guard let text = fields[name], !text.allSatisfy(\.isWhitespace) else {
            throw .field(name, "This field is required.")
        }
        return text
    }

    /// The merchant that a call names: in its path, in a field, or inside the state of a login elsewhere.
    static func merchant(_ call: InPlayerCall, _ fields: [String: String]) -> String? {
        let names = [call.merchant, fields["merchant_uuid"], fields["client_id"], SocialState(fields["state"])?.client]
        return names.lazy.compactMap(\.self).first { !["", "undefined", "null"].contains($0) }
    }

    /// The keys that access tokens are signed with, of one publication or of all.
    static func keySet(_ directory: InPlayerDirectory, _ publication: PublicationID?) -> Response {
        let keys = publication.flatMap { directory[$0] }.map { [$0.tokens.keys] } ?? directory.publishedKeys
        return InPlayerAnswer.make(["keys": .array(keys.flatMap(\.published))])
    }
}

/// The state that an app gives along with a login elsewhere: `base64(JSON{client_id,redirect})`, with `uuid` for `client_id` in
/// older releases of the web SDK.
struct SocialState {
    private static let longest = 4096
    let client: String?

    init?(_ text: String?) {
        guard let text, text.utf8.count <= Self.longest,
            let bytes = ReceiptText.readings(text).lazy.compactMap({ try? JSONParser.parse($0) }).first
        else { return nil }
        client = bytes["client_id"]?.text ?? bytes["uuid"]?.text
    }
}
