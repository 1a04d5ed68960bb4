import Foundation

/// When something happened: how late, and after what. Two things in one instant of the clock still have their order.
struct Moment: Sendable, Equatable {
    let seconds: TimeInterval
    let order: UInt64
}
