import Commerce
import Receipts

/// The app stores in force. When the configuration is read again, a store with unchanged settings stays open with
/// its connections.
struct LiveStoreRegistry: Sendable {
    private struct Entry: Sendable {
        let fingerprint: [UInt8]
        let verifier: any ReceiptVerifier
    }

    private var entries: [StoreName: Entry] = [:]

    init() {}

    /// - Throws: ``BootstrapError/store(name:cause:)``.
    init(_ plan: StorePlan, services: StoreServices, reusing before: LiveStoreRegistry? = nil) throws(BootstrapError) {
        for (name, planned) in plan.entries {
            if let existing = before?.entries[name], existing.fingerprint == planned.fingerprint {
                entries[name] = existing
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
