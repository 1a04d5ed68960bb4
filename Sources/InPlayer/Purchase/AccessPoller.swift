import Foundation

/// A wait for access to an item, by polling and optionally by notifications.
struct AccessPoller: Sendable {
    let client: InPlayerClient
    let item: Int
    let waiting: AccessWaitPolicy

    /// Waits for access.
    ///
    /// - Throws: ``PurchaseError``, also if the task is cancelled, because the receipt must not be lost.
    func value(_ receipt: StoreReceipt) async throws -> ItemAccess {
        do {
            return try await access(receipt)
        } catch let error as PurchaseError {
            throw error
        } catch {
            throw PurchaseError.notGrantedYet(receipt)
        }
    }

    private func access(_ receipt: StoreReceipt) async throws -> ItemAccess {
        try await withThrowingTaskGroup(of: ItemAccess?.self) { group in
            group.addTask { try await poll() }
            group.addTask {
                try await client.sleep(waiting.timeout)
                return nil
            }
            if let settings = waiting.notifications { group.addTask { try await listen(settings, receipt) } }
            defer { group.cancelAll() }
            guard let access = try await group.next() ?? nil else { throw PurchaseError.notGrantedYet(receipt) }
            return access
        }
    }

    private func poll() async throws -> ItemAccess {
        var pause = waiting.minPause
        while true {
            try await client.sleep(pause)
            if let access = await fetchAccess() { return access }
            pause = min(pause * 2, waiting.maxPause)
        }
    }

    /// Queries access. A failed query returns nil, and the caller repeats it.
    private func fetchAccess() async -> ItemAccess? { try? await client.assets.accessIfAny(to: item) }

    private func listen(_ settings: NotificationSettings, _ receipt: StoreReceipt) async throws -> ItemAccess {
        let outputs = Notifications.stream(of: client.notificationService(settings)) { $0 }
        do {
            for try await output in outputs {
                switch output {
                // Access may have been granted before the connection was ready, so it is queried now.
                case .connected:
                    if let access = await fetchAccess() { return access }
                case .notification(let notification):
                    switch notification.event {
                    case .accessGranted(let granted) where granted.item?.id == item || granted.item == nil:
                        if let access = await fetchAccess() { return access }
                    // A failure without an item may belong to another purchase.
                    case .paymentFailed(let failure) where failure.itemID == item:
                        // The service also reports a failure if there already is access.
                        if let access = await fetchAccess() { return access }
                        throw PurchaseError.rejected(receipt, failure, nil)
                    default: continue
                    }
                }
            }
        } catch is InPlayerError {
            // Notifications are unavailable. Polling continues.
        }
        // The task must not finish before the polling task or the time limit.
        while true { try await client.sleep(waiting.timeout) }
    }
}
