TEST(Placeholder, Nothing) {}
