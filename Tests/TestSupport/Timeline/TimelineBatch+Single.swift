package import Gatefold
import Primitives

extension TimelineBatch {
    /// The only batch of a process.
    package init(_ entries: [TimelineEntry], readers: [KnownReader] = []) {
        self.init(entries, readers: readers, from: RandomSource.system.bytes(16), number: 1)
    }
}
