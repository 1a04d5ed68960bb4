import Gatefold
import Receipts

/// The app stores in force. One whose settings stay the same stays, with its connections, when the configuration is read
/// again.
struct OpenStores: Sendable {
    private struct Entry: Sendable {
        let fingerprint: [UInt8]
        let verifier: any ReceiptVerifier
    }

    private var entries: [StoreName: Entry] = [:]

    init() {}

    /// - Throws: ``AssemblyError/store(name:cause:)``.
    init(_ plan: StorePlan, services: StoreServices, keeping before: OpenStores? = nil) throws(AssemblyError) {
        for (name, planned) in plan.entries {
            if let kept = before?.entries[name], kept.fingerprint == planned.fingerprint {
                entries[name] = kept
                continue
            }
            do {
                entries[name] = Entry(
                    fingerprint: planned.fingerprint, verifier: try planned.settings.open(services))
            } catch {
                throw .store(name: name, cause: "\(error)")
            }
        }
    }

    subscript(name: StoreName) -> (any ReceiptVerifier)? { entries[name]?.verifier }

    var verifiers: [StoreName: any ReceiptVerifier] { entries.mapValues(\.verifier) }
}
