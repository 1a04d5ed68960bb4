package import Primitives

/// A signal that wakes the delivery worker when a delivery is pending.
package typealias DeliverySignal = AsyncSignal
