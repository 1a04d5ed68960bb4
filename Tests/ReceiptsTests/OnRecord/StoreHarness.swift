import Commerce
import Foundation
import Gatefold
import State
import TestSupport

/// A publication that sells in one store, with its state on disk.
struct StoreHarness {
    static let owner = PurchaseOwner(bytes: [UInt8](repeating: 1, count: 16))!

    let state: SQLStateStore
    let clock: ManualClock
    let purchaseService: PurchaseService
    let verifier: any ReceiptVerifier

    init(_ verifier: any ReceiptVerifier, at timestamp: Date, in folder: URL) throws {
        let clock = ManualClock(timestamp)
        let state = try SQLStateStore(path: folder.appending(path: "state.sqlite").path)
        self.state = state
        self.clock = clock
        self.verifier = verifier
        purchaseService = PurchaseService(
            publication: PublicationID("daily")!, products: ProductRules(), verifiers: [verifier], ledger: state,
            clock: clock.wall)
    }

    func confirm(_ receipt: StoreReceipt) async throws -> Commerce.Confirmation {
        try await purchaseService.confirm(receipt, from: verifier.kind, owner: Self.owner)
    }

    /// The buyer's recorded transactions.
    var bought: [StoreTransaction] {
        get async throws { try await state.transactions(of: Self.owner, in: [verifier.store]) }
    }
}
