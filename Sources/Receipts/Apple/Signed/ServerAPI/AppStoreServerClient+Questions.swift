import Foundation
import Gatefold
import JSON

/// The questions, each one path of the API. Every transaction and renewal comes as a JWS.
extension AppStoreServerClient {
    /// What came back to a question for signed data.
    enum Found<Value: Sendable>: Sendable {
        case found(Value)
        case notFound(code: Int?)
        case refused(code: Int?)
    }

    /// One transaction, by its own identifier.
    func transaction(_ id: String, in place: Place) async throws -> Found<String> {
        switch try await get("/inApps/v1/transactions/\(Self.escaped(id))", in: place) {
        case .found(let json):
            guard let text = json["signedTransactionInfo"]?.text else { throw AppStoreServerFailure.incomplete }
            return .found(text)
        case .notFound(let code): return .notFound(code: code)
        case .refused(let code): return .refused(code: code)
        }
    }

    /// The last transaction of each subscription of a customer, and what is known of its renewal.
    struct Standing: Sendable, Equatable {
        let transaction: String
        let renewal: String?
    }

    func subscriptions(_ id: String, in place: Place) async throws -> Found<[Standing]> {
        switch try await get("/inApps/v1/subscriptions/\(Self.escaped(id))", in: place) {
        case .found(let json):
            guard let groups = json["data"]?.items else { throw AppStoreServerFailure.incomplete }
            return .found(
                groups.flatMap { $0["lastTransactions"]?.items ?? [] }.compactMap { item in
                    item["signedTransactionInfo"]?.text.map {
                        Standing(transaction: $0, renewal: item["signedRenewalInfo"]?.text)
                    }
                })
        case .notFound(let code): return .notFound(code: code)
        case .refused(let code): return .refused(code: code)
        }
    }

    /// A customer's transactions, all or as many as the pages allowed hold.
    struct History: Sendable, Equatable {
        var transactions: [String] = []
        /// Whether there are more than were read.
        var isCutShort = false
    }

    /// All of a customer's transactions in the app, the latest first, page by page.
    func history(_ id: String, in place: Place) async throws -> Found<History> {
        try await pages("/inApps/v2/history/\(Self.escaped(id))?sort=DESCENDING", in: place)
    }

    /// The transactions of a customer that were refunded, page by page.
    func refunds(_ id: String, in place: Place) async throws -> Found<History> {
        try await pages("/inApps/v2/refund/lookup/\(Self.escaped(id))", in: place)
    }

    /// Follows `revision` for as many pages as are allowed.
    private func pages(_ path: String, in place: Place) async throws -> Found<History> {
        var history = History()
        var revision: String?
        for _ in 0..<mostPages {
            let separator = path.contains("?") ? "&" : "?"
            let next = revision.map { "\(separator)revision=\(Self.escaped($0))" } ?? ""
            switch try await get(path + next, in: place) {
            case .notFound(let code): return .notFound(code: code)
            case .refused(let code): return .refused(code: code)
            case .found(let json):
                guard let page = json["signedTransactions"]?.items else { throw AppStoreServerFailure.incomplete }
                history.transactions += page.compactMap(\.text)
                guard json["hasMore"]?.truth == true else { return .found(history) }
                // The same again would be the same page for ever.
                guard let following = json["revision"]?.text, following != revision else {
                    throw AppStoreServerFailure.incomplete
                }
                revision = following
            }
        }
        history.isCutShort = true
        return .found(history)
    }

    /// Escaped so that it stays one part of a path, or one value of a query (RFC 3986 section 2.3).
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
