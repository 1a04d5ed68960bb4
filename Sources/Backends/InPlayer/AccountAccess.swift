import Foundation
import Gatefold
import InPlayer

/// What one account has access to, asked in one of its sessions.
struct AccountAccess: Sendable {
    /// The entries of a page of the list of purchases, and the most pages that are read.
    static let pageSize = 100
    static let mostPages = 100

    let account: String
    let seat: InPlayerSessions.Seat
    let memory: ItemMemory
    let clock: WallClock

    /// - Throws: ``InPlayerSessionOver``; ``InPlayerFailure`` and others when the service could not be asked.
    func has(_ item: Int) async throws -> Bool {
        try await memory.isAccessible(.init(account: account, item: item), session: seat.id) {
            try await ask(about: item)
        }
    }

    private func ask(about item: Int) async throws -> ItemMemory.Told {
        let access: ItemAccess?
        do throws(InPlayerError) {
            access = try await seat.client.assets.accessIfAny(to: item)
        } catch {
            throw error.meaning(item: item)
        }
        guard let access else { return ItemMemory.Told(isAccessible: false, ends: nil) }
        // Only an answer about this very item opens anything.
        guard access.item?.id == item else { throw InPlayerFailure.notUnderstood(item: item) }
        let now = clock.now
        let isNow = access.starts.map { $0 <= now } ?? true && access.expires.map { now < $0 } ?? true
        return ItemMemory.Told(isAccessible: isNow, ends: isNow ? access.expires : nil)
    }

    /// Those of the items that the account has access to, a question for each.
    ///
    /// - Parameter atOnce: so many questions are under way at a time.
    func held(of items: [Int], atOnce: Int) async throws -> Set<Int> {
        try await withThrowingTaskGroup(of: Int?.self) { group in
            var rest = items[...]
            func next() {
                guard let item = rest.popFirst() else { return }
                group.addTask { try await has(item) ? item : nil }
            }
            for _ in 0..<atOnce { next() }
            var held: Set<Int> = []
            while let accessible = try await group.next() {
                if let accessible { held.insert(accessible) }
                next()
            }
            return held
        }
    }

    /// What the account has bought and not lost, from its list of purchases.
    func purchased() async throws -> Set<Int> {
        var held: Set<Int> = []
        var seen = 0
        for number in 0..<Self.mostPages {
            let page: Page<HistoricAccess>
            do throws(InPlayerError) {
                page = try await seat.client.assets.accessHistory(.active, page: number, size: Self.pageSize)
            } catch {
                throw error.meaning()
            }
            // An entry that can not be read may be the one that counts.
            guard page.unreadable == 0 else { throw InPlayerFailure.notUnderstood(item: nil) }
            let now = clock.now
            for entry in page.items where entry.isRevoked != true {
                let isNow = entry.starts.map { $0 <= now } ?? true && entry.expires.map { now < $0 } ?? true
                if isNow { held.insert(entry.itemID) }
            }
            seen += page.items.count
            guard let total = page.total else {
                // A page may be shorter than was asked for; only an empty one is the end.
                if page.items.isEmpty { return held }
                continue
            }
            if seen >= total { return held }
            // A list that says it has more and gives nothing is no answer.
            guard !page.items.isEmpty else { throw InPlayerFailure.notUnderstood(item: nil) }
        }
        throw InPlayerFailure.historyTooLong
    }
}
