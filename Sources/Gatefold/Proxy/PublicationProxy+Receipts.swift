import Foundation

/// Whoever shows a store's receipt, and says nothing else about themselves (PROTOCOLS 1.6).
extension PublicationProxy {
    /// Short-lived credentials for an edition that the receipt's purchases open.
    ///
    /// - Parameters:
    ///   - requested: the edition, or its product in the store, as the app names it; nil or blank for the only one that the
    ///     receipt is for.
    ///   - app: the bundle identifier or package name, where the app says it.
    /// - Throws: ``Unavailable`` when the store or the ledger could not be asked.
    public func editionCredentials(
        for requested: String?, showing receipt: StoreReceipt, from kind: StoreKind, app: String? = nil,
        _ inquiry: Inquiry
    ) async throws -> CredentialsAnswer {
        guard let purchases else { return refuse(ReceiptRefusal(.noStore), inquiry) }
        switch try await purchases.examine(receipt, from: kind, app: app) {
        case .refused(let refusal):
            return refuse(refusal, inquiry)
        case .genuine(let transactions):
            guard let edition = edition(requested, among: transactions, in: try catalogue()) else {
                return refuse(.notEntitled, message(.noEdition, inquiry))
            }
            return try editionCredentials(for: edition, provenBy: transactions, inquiry)
        }
    }

    /// The edition that is meant. Naming one opens nothing: that is up to the purchases.
    private func edition(
        _ requested: String?, among transactions: [StoreTransaction], in catalogue: Catalogue
    ) -> EditionID? {
        if let requested, !requested.allSatisfy(\.isWhitespace) {
            return catalogue.edition(soldAs: requested) ?? EditionID(requested)
        }
        let sold = Set(transactions.compactMap { catalogue.edition(soldAs: $0.product) })
        return sold.count == 1 ? sold.first : nil
    }

    /// A receipt that proves nothing, in the same document as every other refusal; the store's own status is for the app's
    /// developer alone.
    private func refuse(_ refusal: ReceiptRefusal, _ inquiry: Inquiry) -> CredentialsAnswer {
        let (reason, words): (CredentialsRefusal.Reason, MessageKey) =
            switch refusal.reason {
            case .malformed, .forged, .notFound: (.notRecognised, .notRecognised)
            case .expired: (.expired, .notEntitled)
            default: (.notEntitled, .notEntitled)
            }
        observe(.credentialsRefused(reason))
        return .refused(
            CredentialsRefusal(reason: reason, message: message(words, inquiry)),
            comments: comments(
                [
                    "Receipt refused: \(refusal.reason.rawValue)", refusal.code.map { "Store status: \($0)" },
                    "Generated: \(DebugTime.text(clock.now))",
                ].compactMap(\.self)))
    }
}
