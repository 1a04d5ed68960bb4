package import Protections

/// Wakes whoever delivers when there is something to deliver.
package typealias DeliveryBell = Bell
