import Commerce
import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

/// One call of an app.
struct InPlayerRequestHandler {
    let front: InPlayerPublication
    let method: HTTPRequest.Method
    /// The kind of call, for the report of a refusal.
    let refusedCall: RefusedCall
    let fields: [String: String]
    let bearer: Bearer
    let client: ClientAddress?
    let languages: [String]

    func response(_ call: InPlayerCall) async throws -> Response {
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
        case .notificationKeys: try await notificationKeys()
        case .favorites, .watchHistory: try await noMedia()
        case .keySet: throw InPlayerRejection.unknownCall
        }
    }

    /// Returns the context of the call, with these fields in place of the request's.
    func context(_ fields: [String: String] = [:]) -> CallContext {
        CallContext(fields: fields, client: client, languages: languages)
    }

    func message(_ key: MessageKey) -> String? {
        front.authorizationService.publication.messages.text(key, for: languages)
    }

    /// Returns the value of a field, or `nil` if it is missing or a placeholder, because some apps send `undefined`
    /// or `null`.
    ///
    /// Source: InPlayer protocol, “Tokens of password mails”.
    func field(_ name: String) -> String? {
        guard let text = fields[name], !["", "undefined", "null"].contains(text) else { return nil }
        return text
    }

    /// Returns the value of a mandatory field.
    func required(_ name: String) throws(InPlayerRejection) -> String {
        guard let text = fields[name], !text.allSatisfy(\.isWhitespace) else {
            throw .field(name, "This field is required.")
        }
        return text
    }

    /// Returns the merchant that a call names: in its path, in a field, or inside the state of a social sign-in.
    static func merchant(_ call: InPlayerCall, _ fields: [String: String]) -> String? {
        let names = [call.merchant, fields["merchant_uuid"], fields["client_id"], SocialState(fields["state"])?.client]
        return names.lazy.compactMap(\.self).first { !["", "undefined", "null"].contains($0) }
    }

    /// Returns the public keys of access tokens, of one publication or of all.
    static func keySet(_ directory: InPlayerDirectory, _ publication: PublicationID?) -> Response {
        let keys = publication.flatMap { directory[$0] }.map { [$0.tokens.keys] } ?? directory.publishedKeys
        return InPlayerResponse.make(["keys": .array(keys.flatMap(\.published))])
    }
}

/// The state that an app sends with a social sign-in: `base64(JSON{client_id,redirect})`, with `uuid` in place of
/// `client_id` in older releases of the web SDK.
///
/// Source: InPlayer protocol, “Social sign-in state”.
struct SocialState {
    private static let maxLength = 4096
    let client: String?

    init?(_ text: String?) {
        guard let text, text.utf8.count <= Self.maxLength,
            let bytes = ReceiptText.readings(text).lazy.compactMap({ try? JSONParser.parse($0) }).first
        else { return nil }
        client = bytes["client_id"]?.text ?? bytes["uuid"]?.text
    }
}
