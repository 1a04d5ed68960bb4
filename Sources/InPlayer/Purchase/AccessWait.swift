import Foundation

/// Waits until there is access to an item: by asking, and by listening where that is wanted.
struct AccessWait: Sendable {
    let client: InPlayerClient
    let item: Int
    let waiting: AccessWaiting

    /// - Throws: ``PurchaseError``, also when its task is cancelled: the receipt must not get lost.
    func value(_ receipt: StoreReceipt) async throws -> ItemAccess {
        do {
            return try await access(receipt)
        } catch is CancellationError {
            throw PurchaseError.notGrantedYet(receipt)
        }
    }

    private func access(_ receipt: StoreReceipt) async throws -> ItemAccess {
        try await withThrowingTaskGroup(of: ItemAccess?.self) { group in
            group.addTask { try await poll() }
            group.addTask {
                try await client.sleep(waiting.longest)
                return nil
            }
            if let settings = waiting.notifications { group.addTask { try await listen(settings) } }
            defer { group.cancelAll() }
            guard let access = try await group.next() ?? nil else { throw PurchaseError.notGrantedYet(receipt) }
            return access
        }
    }

    private func poll() async throws -> ItemAccess {
        var pause = waiting.shortestPause
        while true {
            try await client.sleep(pause)
            if let access = await ask() { return access }
            pause = min(pause * 2, waiting.longestPause)
        }
    }

    /// A question that fails is asked again.
    private func ask() async -> ItemAccess? { try? await client.assets.accessIfAny(to: item) }

    private func listen(_ settings: NotificationSettings) async throws -> ItemAccess {
        let outputs = Notifications.stream(of: client.notificationService(settings)) { $0 }
        do {
            for try await output in outputs {
                switch output {
                // What was told before anybody listened is asked for.
                case .connected:
                    if let access = await ask() { return access }
                case .notification(let notification):
                    switch notification.event {
                    case .accessGranted(let granted) where granted.item?.id == item || granted.item == nil:
                        if let access = await ask() { return access }
                    case .paymentFailed(let news) where news.itemID == item || news.itemID == nil:
                        // One that says there is access already is good news.
                        if let access = await ask() { return access }
                        throw PurchaseError.refused(news, nil)
                    default: continue
                    }
                }
            }
        } catch is InPlayerError {
            // Nobody tells; asking goes on.
        }
        // Until the others have come to an end.
        while true { try await client.sleep(waiting.longest) }
    }
}
