import Foundation
import JSON
import Primitives

/// The queries, each to one path of the API. Every transaction and renewal in a response is a JWS.
extension AppStoreServerClient {
    /// The result of a query for signed data.
    enum FetchResult<Value: Sendable>: Sendable {
        case found(Value)
        case notFound(code: Int?)
        case rejected(code: Int?)
    }

    /// Returns one transaction by its own identifier.
    func transaction(_ id: String, in place: Place) async throws -> FetchResult<String> {
        switch try await get("/inApps/v1/transactions/\(Self.escaped(id))", in: place) {
        case .found(let json):
            guard let text = json["signedTransactionInfo"]?.text else { throw AppStoreServerFailure.incomplete }
            return .found(text)
        case .notFound(let code): return .notFound(code: code)
        case .rejected(let code): return .rejected(code: code)
        }
    }

    /// The last transaction of one subscription of a customer, and its renewal information.
    struct SubscriptionStatus: Sendable, Equatable {
        let transaction: String
        let renewal: String?
    }

    func subscriptions(_ id: String, in place: Place) async throws -> FetchResult<[SubscriptionStatus]> {
        switch try await get("/inApps/v1/subscriptions/\(Self.escaped(id))", in: place) {
        case .found(let json):
            guard let groups = json["data"]?.items else { throw AppStoreServerFailure.incomplete }
            return .found(
                groups.flatMap { $0["lastTransactions"]?.items ?? [] }.compactMap { item in
                    item["signedTransactionInfo"]?.text.map {
                        SubscriptionStatus(transaction: $0, renewal: item["signedRenewalInfo"]?.text)
                    }
                })
        case .notFound(let code): return .notFound(code: code)
        case .rejected(let code): return .rejected(code: code)
        }
    }

    /// A customer's transactions, complete or up to the page limit.
    struct History: Sendable, Equatable {
        var transactions: [String] = []
        /// A Boolean value that indicates whether there are more transactions than were read.
        var isTruncated = false
    }

    /// Returns all transactions of a customer in the app, the latest first, page by page.
    func history(_ id: String, in place: Place) async throws -> FetchResult<History> {
        try await pages("/inApps/v2/history/\(Self.escaped(id))?sort=DESCENDING", in: place)
    }

    /// Returns the refunded transactions of a customer, page by page.
    func refunds(_ id: String, in place: Place) async throws -> FetchResult<History> {
        try await pages("/inApps/v2/refund/lookup/\(Self.escaped(id))", in: place)
    }

    /// Follows `revision` up to the page limit.
    private func pages(_ path: String, in place: Place) async throws -> FetchResult<History> {
        var history = History()
        var revision: String?
        for _ in 0..<maxPages {
            let separator = path.contains("?") ? "&" : "?"
            let next = revision.map { "\(separator)revision=\(Self.escaped($0))" } ?? ""
            switch try await get(path + next, in: place) {
            case .notFound(let code): return .notFound(code: code)
            case .rejected(let code): return .rejected(code: code)
            case .found(let json):
                guard let page = json["signedTransactions"]?.items else { throw AppStoreServerFailure.incomplete }
                history.transactions += page.compactMap(\.text)
                guard json["hasMore"]?.boolValue == true else { return .found(history) }
                // A repeated revision would return the same page forever.
                guard let following = json["revision"]?.text, following != revision else {
                    throw AppStoreServerFailure.incomplete
                }
                revision = following
            }
        }
        history.isTruncated = true
        return .found(history)
    }

    /// Escapes a text so that it stays one segment of a path or one value of a query (RFC 3986 section 2.3).
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~".utf8.contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
        }
        .joined()
    }
}
