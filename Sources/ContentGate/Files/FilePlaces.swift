import Synchronization

/// How many files may be open at a time to be sent, so that downloads leave descriptors for everything else.
final class FilePlaces: Sendable {
    private let most: Int
    private let taken = Mutex(0)

    init(_ most: Int) {
        self.most = most
    }

    /// Nil when all are taken. A place is given back when nobody holds it any more.
    func take() -> FilePlace? {
        let isFree = taken.withLock { taken -> Bool in
            guard taken < most else { return false }
            taken += 1
            return true
        }
        return isFree ? FilePlace(self) : nil
    }

    fileprivate func giveBack() { taken.withLock { $0 -= 1 } }
}

/// One of ``FilePlaces``.
final class FilePlace: Sendable {
    private let places: FilePlaces

    fileprivate init(_ places: FilePlaces) {
        self.places = places
    }

    deinit { places.giveBack() }
}
