import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension InPlayerQuestion {
    func item(_ number: String) async throws -> Response { document(try await known(number)) }

    /// An item by the name of the edition, or of the product in the stores.
    func item(named name: String) async throws -> Response {
        guard let item = try await front.item(named: name) else { throw InPlayerRefusal.noItem }
        return document(item)
    }

    func fees(_ number: String) async throws -> Response {
        InPlayerAnswer.make(
            .array(AccessFeeDocument.values(try await known(number), front.settings, site: front.downloads)))
    }

    /// Whether the reader may open the item, and then where it is. No access is 402: any other refusal would sign the reader out
    /// on iOS (PROTOCOLS 5.3).
    func access(_ number: String) async throws -> Response {
        let reader = try await reader()
        let item = try await known(number)
        let content =
            switch item.kind {
            case .edition(let edition): try await content(of: edition, for: reader)
            case .subscription: try await subscribed(reader)
            }
        let account = try await account(of: reader)
        let bought = try await front.transactions(of: reader.session.subscriber)
            .filter { $0.revoked == nil && item.isSold(as: $0, by: front) }
            .max { ($0.ends ?? .distantFuture, $0.purchased) < ($1.ends ?? .distantFuture, $1.purchased) }
        return InPlayerAnswer.make(
            AccessDocument.value(
                ItemDocument.value(item, front.settings, site: front.downloads, content: content),
                numbered: item.number, of: account, since: bought?.purchased, until: bought?.ends))
    }

    /// A JSON text that says where the edition is.
    private func content(of edition: EditionID, for reader: InPlayerReader) async throws -> String {
        let answer = try await front.access.editionCredentials(
            token: reader.token, edition: edition.rawValue, inURL: true, inquiry())
        switch answer {
        case .refused(let refusal, _):
            if let wait = refusal.retryAfter { throw InPlayerRefusal.unavailable(wait) }
            throw self.refusal(refusal.reason, refusal.message)
        case .granted(let credentials, _, _):
            var members: [JSONValue.Member] = [.init(name: "edition", value: .string(edition.rawValue))]
            if let archive = try front.shelf().catalogue.archive(of: edition, at: front.now),
                let address = front.downloads?.url(of: archive, credentials: credentials)
            {
                members.append(.init(name: "url", value: .string(address)))
            }
            return String(decoding: JSONWriter.bytes(.object(members)), as: UTF8.self)
        }
    }

    /// Any subscription that runs opens the item that stands for one: what subscriptions open does not differ by product.
    private func subscribed(_ reader: InPlayerReader) async throws -> String {
        let subscription = try await front.access.verify(token: reader.token, inquiry()).subscription
        switch subscription.state {
        case .active: return #"{"subscription":"active"}"#
        case .unknown: throw refusal(.notRecognised, subscription.message)
        case .stale: throw refusal(.expired, subscription.message)
        case .inactive, .suspended: throw refusal(.notEntitled, subscription.message)
        }
    }

    private func refusal(_ reason: CredentialsRefusal.Reason?, _ words: String?) -> InPlayerRefusal {
        switch reason {
        case .notRecognised, .expired:
            InPlayerRefusal(
                .unauthorized, words ?? message(.tokenNotRecognised) ?? "Please sign in again.",
                errors: ["token": "Please sign in again."])
        case .notEntitled, nil:
            InPlayerRefusal(
                .notEntitled, words ?? message(.notEntitled) ?? "There is no access.",
                errors: ["access": words ?? message(.notEntitled) ?? "There is no access."])
        }
    }

    private func known(_ text: String) async throws -> InPlayerItem {
        guard let number = NumberedProduct.number(text), let item = try await front.item(numbered: number) else {
            throw InPlayerRefusal.noItem
        }
        return item
    }

    private func document(_ item: InPlayerItem) -> Response {
        InPlayerAnswer.make(ItemDocument.value(item, front.settings, site: front.downloads))
    }

    func noticeKeys() async throws -> Response {
        let reader = try await reader()
        guard let keys = front.tools.noticeKeys else { throw InPlayerRefusal.notOffered }
        let account = try await account(of: reader)
        let holder = front.access.noticeHolder(of: reader.session)
        let issued = try keys.keys(for: account.uuid, holder: holder, at: front.now)
        return InPlayerAnswer.make([
            "accessKey": .string(issued.accessKey), "secretKey": .string(issued.secretKey),
            "sessionToken": .string(issued.sessionToken), "region": .string(issued.region),
            "iotEndpoint": .string(issued.endpoint),
        ])
    }
}

extension InPlayerItem {
    /// Whether a purchase is one of this item, which may be of a product whose name is known only by its beginning.
    func isSold(as transaction: StoreTransaction, by front: InPlayerPublication) -> Bool {
        switch kind {
        case .edition: products.contains(transaction.product)
        case .subscription: front.proxy.purchases?.products.subscription(transaction.product) != nil
        }
    }
}

extension InPlayerPublication {
    /// What a reader bought in the app stores.
    ///
    /// - Throws: ``Unavailable``.
    func transactions(of subscriber: Subscriber) async throws -> [StoreTransaction] {
        try await proxy.purchases?.transactions(of: proxy.owner(of: subscriber)) ?? []
    }
}

extension HTTPResponse.Status {
    /// What apps take for "has no access", and for nothing else (PROTOCOLS 5.3).
    fileprivate static let notEntitled = HTTPResponse.Status(code: 402, reasonPhrase: "Payment Required")
}
