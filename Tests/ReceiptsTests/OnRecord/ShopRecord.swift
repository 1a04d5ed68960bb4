import Foundation
import Gatefold
import State
import TestSupport

/// A publication that sells in one store, with what it keeps of it on disk.
struct ShopRecord {
    static let owner = PurchaseOwner(bytes: [UInt8](repeating: 1, count: 16))!

    let state: SQLiteStateStore
    let clock: ManualClock
    let desk: PurchaseDesk
    let verifier: any ReceiptVerifier

    init(_ verifier: any ReceiptVerifier, at moment: Date, in folder: URL) throws {
        let clock = ManualClock(moment)
        let state = try SQLiteStateStore(path: folder.appending(path: "state.sqlite").path)
        self.state = state
        self.clock = clock
        self.verifier = verifier
        desk = PurchaseDesk(
            publication: PublicationID("daily")!, products: ProductRules(), verifiers: [verifier], ledger: state,
            clock: clock.wall)
    }

    func confirm(_ receipt: StoreReceipt) async throws -> Gatefold.Confirmation {
        try await desk.confirm(receipt, from: verifier.kind, owner: Self.owner)
    }

    /// What the buyer has on record.
    var bought: [StoreTransaction] {
        get async throws { try await state.transactions(of: Self.owner, in: [verifier.store]) }
    }
}
