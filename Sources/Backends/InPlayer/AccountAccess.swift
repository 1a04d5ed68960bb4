import Foundation
import InPlayer
import Primitives

/// The access of one account, queried in one of its sessions.
struct AccountAccess: Sendable {
    /// The number of entries per page of the purchase list. The next constant is the maximum number of pages that
    /// are read.
    static let pageSize = 100
    static let maxPages = 100

    let account: String
    let clientSession: InPlayerSessions.ClientSession
    let cache: ItemAccessCache
    let clock: WallClock

    /// Returns whether the account has access to an item.
    ///
    /// - Throws: ``InPlayerSessionExpired`` if the session is over; ``InPlayerFailure`` and other errors if the
    ///   service fails.
    func has(_ item: Int) async throws -> Bool {
        try await cache.isAccessible(.init(account: account, item: item), session: clientSession.id) {
            try await fetchAccess(about: item)
        }
    }

    private func fetchAccess(about item: Int) async throws -> ItemAccessCache.ItemAccessResult {
        let access: ItemAccess?
        do throws(InPlayerError) {
            access = try await clientSession.client.assets.accessIfAny(to: item)
        } catch {
            throw error.meaning(item: item)
        }
        guard let access else { return ItemAccessCache.ItemAccessResult(isAccessible: false, ends: nil) }
        // Only a response about this item may open anything.
        guard access.item?.id == item else { throw InPlayerFailure.unrecognizedResponse(item: item) }
        let now = clock.now
        let isNow = access.starts.map { $0 <= now } ?? true && access.expires.map { now < $0 } ?? true
        return ItemAccessCache.ItemAccessResult(isAccessible: isNow, ends: isNow ? access.expires : nil)
    }

    /// Returns the items that the account has access to. Each item needs a query.
    ///
    /// - Parameter maxConcurrent: The maximum number of concurrent queries.
    func held(of items: [Int], maxConcurrent: Int) async throws -> Set<Int> {
        try await withThrowingTaskGroup(of: Int?.self) { group in
            var rest = items[...]
            func next() {
                guard let item = rest.popFirst() else { return }
                group.addTask { try await has(item) ? item : nil }
            }
            for _ in 0..<maxConcurrent { next() }
            var held: Set<Int> = []
            while let accessible = try await group.next() {
                if let accessible { held.insert(accessible) }
                next()
            }
            return held
        }
    }

    /// Returns the items that the account bought and still has, according to its purchase list.
    func purchased() async throws -> Set<Int> {
        var held: Set<Int> = []
        var seen = 0
        for number in 0..<Self.maxPages {
            let page: Page<HistoricAccess>
            do throws(InPlayerError) {
                page = try await clientSession.client.assets.accessHistory(.active, page: number, size: Self.pageSize)
            } catch {
                throw error.meaning()
            }
            // An unreadable entry may be the decisive one.
            guard page.unreadable == 0 else { throw InPlayerFailure.unrecognizedResponse(item: nil) }
            let now = clock.now
            for entry in page.items where entry.isRevoked != true {
                let isNow = entry.starts.map { $0 <= now } ?? true && entry.expires.map { now < $0 } ?? true
                if isNow { held.insert(entry.itemID) }
            }
            seen += page.items.count
            guard let total = page.total else {
                // A page may be shorter than requested; only an empty page is the end.
                if page.items.isEmpty { return held }
                continue
            }
            if seen >= total { return held }
            // A list that announces more entries and returns none is invalid.
            guard !page.items.isEmpty else { throw InPlayerFailure.unrecognizedResponse(item: nil) }
        }
        throw InPlayerFailure.historyTooLong
    }
}
