import Foundation
public import Gatefold
import Primitives

/// Access for a reader who sends a store receipt as the only credential.
///
/// Source: Store receipts in the Pugpig style, “Overview”.
extension AuthorizationService {
    /// Returns short-lived credentials for an edition that the purchases of the receipt open.
    ///
    /// - Parameters:
    ///   - requested: The edition, or its product in the store, as named by the app. Nil or blank selects the only
    ///     edition of the receipt.
    ///   - receipt: The receipt.
    ///   - kind: The kind of store.
    ///   - app: The bundle identifier or package name, if the app sends it.
    ///   - context: The context of the call.
    /// - Throws: `Unavailable` if the store or the ledger was unavailable.
    public func editionCredentials(
        for requested: String?, showing receipt: StoreReceipt, from kind: StoreKind, app: String? = nil,
        _ context: CallContext
    ) async throws -> CredentialsResult {
        guard let purchases else { return reject(ReceiptRejection(.noStore), context) }
        let transactions: [StoreTransaction]
        let requestedEdition: EditionID?
        do {
            switch try await purchases.examine(receipt, from: kind, app: app) {
            case .rejected(let rejection): return reject(rejection, context)
            case .genuine(let genuine): transactions = genuine
            }
            requestedEdition = edition(requested, among: transactions, in: try catalogue())
        } catch let failure as Unavailable {
            throw refused(failure, .editionCredentials)
        }
        guard let requestedEdition else {
            return reject(.notEntitled, message(.noEdition, context), refusal(.editionMissing, .editionCredentials))
        }
        return try editionCredentials(for: requestedEdition, verifiedBy: transactions, context)
    }

    /// Returns the requested edition. A requested edition opens nothing; only the purchases do.
    private func edition(
        _ requested: String?, among transactions: [StoreTransaction], in catalogue: Catalogue
    ) -> EditionID? {
        if let requested, !requested.allSatisfy(\.isWhitespace) {
            return catalogue.edition(storeProductID: requested) ?? EditionID(requested)
        }
        let sold = Set(transactions.compactMap { catalogue.edition(storeProductID: $0.product) })
        return sold.count == 1 ? sold.first : nil
    }

    /// Denies credentials because the receipt proves nothing. The document has the same format as any other denial.
    /// Only the debug notes, for the app's developer, contain the store's own status.
    private func reject(_ rejection: ReceiptRejection, _ context: CallContext) -> CredentialsResult {
        let (reason, messageKey): (CredentialsRejection.Reason, MessageKey) =
            switch rejection.reason {
            case .malformed, .forged, .notFound: (.rejected, .rejected)
            case .expired: (.expired, .notEntitled)
            default: (.notEntitled, .notEntitled)
            }
        report(refusal(RefusalReason(rejection.reason), .editionCredentials))
        observe(.credentialsRejected(reason))
        return .rejected(
            CredentialsRejection(reason: reason, message: message(messageKey, context)),
            notes: notes(
                [
                    "Receipt rejected: \(rejection.reason.rawValue)", rejection.code.map { "Store status: \($0)" },
                    "Generated: \(DebugTime.text(clock.now))",
                ].compactMap(\.self)))
    }
}
