// How much too stiff a mesh's linear elements are.
//
}  // namespace quartic
